package dev.reprise.policy;

import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the budget of a document. */
final class BudgetReader {
  static final String UNLIMITED = "unlimited";
  static final String TYPE = "type";
  static final String TOKEN_BUCKET = "token-bucket";
  static final String RATIO = "ratio";
  static final String MAX_SCOPES = "maxScopes";

  private static final String PER_SUCCESS = "retriesPerSuccess";

  private static final List<String> BUCKET_FIELDS =
      List.of(
          TYPE,
          "capacityTokens",
          "errorTokens",
          "throttleTokens",
          "timeoutTokens",
          "rewardTokens",
          "refundsLastCost",
          "tokensPerSecond",
          MAX_SCOPES);

  private static final List<String> RATIO_FIELDS =
      List.of(TYPE, PER_SUCCESS, "retriesPerSecond", "savedRetries", MAX_SCOPES);

  /** The prices of a bucket for which the document has none: the default ones. */
  private static final BudgetPolicy.TokenBucket STANDARD = Presets.DEFAULT_BUDGET;

  private static final BigDecimal MOST = BigDecimal.valueOf(RetryBudget.MAX_TOKENS);

  private final Checks checks;

  BudgetReader(Checks checks) {
    this.checks = checks;
  }

  /** Returns the budget, or null when it breaks a rule. */
  @Nullable BudgetPolicy read(String path, JsonNode value) {
    if (value.isString() && value.stringValue().equals(UNLIMITED)) {
      return new BudgetPolicy.Unlimited();
    }
    if (!value.isObject()) {
      checks.complain(path, value, "must be unlimited, or an object with a type");
      return null;
    }
    JsonNode typeNode = value.get(TYPE);
    String type = typeNode != null && typeNode.isString() ? typeNode.stringValue() : "";
    int before = checks.count();
    BudgetPolicy budget =
        switch (type) {
          case TOKEN_BUCKET -> tokenBucket(path, value);
          case RATIO -> ratio(path, value);
          default -> {
            String rule = "must be " + TOKEN_BUCKET + " or " + RATIO;
            if (typeNode == null) {
              checks.missing(Checks.join(path, TYPE), rule);
            } else {
              checks.complain(Checks.join(path, TYPE), typeNode, rule);
            }
            yield null;
          }
        };
    return checks.count() > before ? null : budget;
  }

  private @Nullable BudgetPolicy tokenBucket(String path, JsonNode object) {
    checks.rejectUnknown(path, object, BUCKET_FIELDS);
    TokenPrices standard = STANDARD.prices();
    Integer capacity = count(path, object, "capacityTokens", 0, STANDARD.capacityTokens());
    Integer error = milliTokens(path, object, "errorTokens", standard.errorMilliTokens());
    Integer throttle = milliTokens(path, object, "throttleTokens", standard.throttleMilliTokens());
    Integer timeout = milliTokens(path, object, "timeoutTokens", standard.timeoutMilliTokens());
    Integer reward = milliTokens(path, object, "rewardTokens", standard.rewardMilliTokens());
    boolean refunds = checks.flag(path, object, "refundsLastCost", standard.refundsLastCost());
    Double perSecond = checks.number(path, object, "tokensPerSecond", 0, MOST);
    Integer maxScopes = maxScopes(path, object);
    if (capacity == null
        || error == null
        || throttle == null
        || timeout == null
        || reward == null
        || perSecond == null
        || maxScopes == null) {
      return null;
    }
    TokenPrices prices = new TokenPrices(error, throttle, timeout, reward, refunds);
    return checks.made(
        path, object, () -> new BudgetPolicy.TokenBucket(capacity, prices, perSecond, maxScopes));
  }

  private @Nullable BudgetPolicy ratio(String path, JsonNode object) {
    checks.rejectUnknown(path, object, RATIO_FIELDS);
    if (!object.has(PER_SUCCESS)) {
      checks.missing(Checks.join(path, PER_SUCCESS), "must be a number between 0 and 1");
    }
    Double perSuccess = checks.number(path, object, PER_SUCCESS, 0, BigDecimal.ONE);
    Double perSecond = checks.number(path, object, "retriesPerSecond", 0, MOST);
    Integer saved = count(path, object, "savedRetries", 1, 1);
    Integer maxScopes = maxScopes(path, object);
    if (perSuccess == null || perSecond == null || saved == null || maxScopes == null) {
      return null;
    }
    return checks.made(
        path,
        object,
        () ->
            new BudgetPolicy.Ratio(
                perSuccess,
                perSecond,
                object.has("savedRetries") ? saved : BudgetPolicy.Ratio.savedRetries(perSecond),
                maxScopes));
  }

  private @Nullable Integer maxScopes(String path, JsonNode object) {
    JsonNode value = object.get(MAX_SCOPES);
    return value == null
        ? Integer.valueOf(BudgetPolicy.DEFAULT_MAX_SCOPES)
        : checks.whole(
            Checks.join(path, MAX_SCOPES),
            value,
            0,
            BudgetPolicy.MAX_SCOPES,
            "must be between 0 and " + BudgetPolicy.MAX_SCOPES);
  }

  private @Nullable Integer count(
      String path, JsonNode object, String field, int lowest, int standard) {
    JsonNode value = object.get(field);
    return value == null
        ? Integer.valueOf(standard)
        : checks.whole(
            Checks.join(path, field),
            value,
            lowest,
            RetryBudget.MAX_TOKENS,
            "must be between " + lowest + " and " + RetryBudget.MAX_TOKENS);
  }

  /** Reads tokens, and fractions of them down to a thousandth. */
  private @Nullable Integer milliTokens(
      String path, JsonNode object, String field, int standardMilliTokens) {
    JsonNode value = object.get(field);
    if (value == null) {
      return standardMilliTokens;
    }
    String ownPath = Checks.join(path, field);
    BigDecimal tokens = checks.decimal(ownPath, value, BigDecimal.ZERO, MOST);
    if (tokens == null) {
      return null;
    }
    if (tokens.stripTrailingZeros().scale() > 3) {
      checks.complain(ownPath, value, "must have at most three digits after the point");
      return null;
    }
    return tokens.movePointRight(3).intValueExact();
  }
}
