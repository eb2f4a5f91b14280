package dev.reprise.policy;

import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.Field;
import dev.reprise.policy.document.ObjectType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The types of budget that a document can name, and the fields of each. */
enum BudgetType {
  TOKEN_BUCKET(tokenBucket()),
  RATIO(ratio());

  static final String UNLIMITED = "unlimited";
  static final String TYPE = "type";

  static final Codec<BudgetPolicy> CODEC =
      new Codec<>(
          "`unlimited` or an object with a type",
          "must be unlimited, or an object with a type",
          BudgetType::read,
          BudgetType::write,
          Codec.reference("#/$defs/budget"));

  @SuppressWarnings("ImmutableEnumChecker") // ObjectType is immutable, but has functions inside.
  private final ObjectType<? extends BudgetPolicy> fields;

  BudgetType(ObjectType<? extends BudgetPolicy> fields) {
    this.fields = fields;
  }

  String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  ObjectType<? extends BudgetPolicy> fields() {
    return fields;
  }

  private static @Nullable BudgetPolicy read(Checks checks, String path, JsonNode value) {
    if (value.isString() && value.stringValue().equals(UNLIMITED)) {
      return new BudgetPolicy.Unlimited();
    }
    if (!value.isObject()) {
      return Codec.refuse(checks, path, value, CODEC.rule());
    }
    JsonNode typeNode = value.get(TYPE);
    if (typeNode == null) {
      checks.missing(Checks.join(path, TYPE), typeRule());
      return null;
    }
    BudgetType type =
        Arrays.stream(values())
            .filter(known -> typeNode.isString() && known.wireName().equals(typeNode.stringValue()))
            .findFirst()
            .orElse(null);
    if (type == null) {
      return Codec.refuse(checks, Checks.join(path, TYPE), typeNode, typeRule());
    }
    int before = checks.count();
    List<String> known = new ArrayList<>(List.of(TYPE));
    known.addAll(type.fields.names());
    checks.rejectUnknown(path, value, known);
    BudgetPolicy budget = type.fields.read(checks, path, value);
    return checks.count() > before ? null : budget;
  }

  private static String typeRule() {
    return "must be " + TOKEN_BUCKET.wireName() + " or " + RATIO.wireName();
  }

  private static JsonNode write(BudgetPolicy budget) {
    for (BudgetType type : values()) {
      if (type.fields.describes(budget)) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put(TYPE, type.wireName());
        return type.fields.writeTo(budget, node);
      }
    }
    return JsonNodeFactory.instance.stringNode(UNLIMITED);
  }

  private static ObjectType<BudgetPolicy.TokenBucket> tokenBucket() {
    BudgetPolicy.TokenBucket standard = Presets.DEFAULT_BUDGET;
    TokenPrices prices = standard.prices();
    var type =
        ObjectType.of(
            BudgetPolicy.TokenBucket.class, "Retries take tokens, successes give them back.");
    var capacity =
        type.optional(
            "capacityTokens",
            Codec.between(0, RetryBudget.MAX_TOKENS),
            standard.capacityTokens(),
            BudgetPolicy.TokenBucket::capacityTokens,
            "The most that it holds.");
    var error =
        type.optional(
            "errorTokens",
            milliTokens(),
            prices.errorMilliTokens(),
            bucket -> bucket.prices().errorMilliTokens(),
            "What a retry costs.");
    var throttle =
        type.optional(
            "throttleTokens",
            milliTokens(),
            prices.throttleMilliTokens(),
            bucket -> bucket.prices().throttleMilliTokens(),
            "What a retry after a throttle costs.");
    var timeout =
        type.optional(
            "timeoutTokens",
            milliTokens(),
            prices.timeoutMilliTokens(),
            bucket -> bucket.prices().timeoutMilliTokens(),
            "What a retry after a timeout costs.");
    var reward =
        type.optional(
            "rewardTokens",
            milliTokens(),
            prices.rewardMilliTokens(),
            bucket -> bucket.prices().rewardMilliTokens(),
            "What a success at the first attempt brings.");
    var refunds =
        type.optional(
            "refundsLastCost",
            Codec.FLAG,
            prices.refundsLastCost(),
            bucket -> bucket.prices().refundsLastCost(),
            "Whether a success after a retry gives back what that cost, instead of the reward.");
    var perSecond =
        type.optional(
            "tokensPerSecond",
            perSecond(),
            0.0,
            BudgetPolicy.TokenBucket::tokensPerSecond,
            "How fast time fills it: 0 for not at all, or at least 0.001.");
    var maxScopes = maxScopes(type);
    return type.makes(
        values ->
            new BudgetPolicy.TokenBucket(
                values.get(capacity),
                new TokenPrices(
                    values.get(error),
                    values.get(throttle),
                    values.get(timeout),
                    values.get(reward),
                    values.get(refunds)),
                values.get(perSecond),
                values.get(maxScopes)));
  }

  private static ObjectType<BudgetPolicy.Ratio> ratio() {
    ObjectNode share = JsonNodeFactory.instance.objectNode().put("type", "number");
    share.putArray("anyOf").add(zero()).addObject().put("minimum", 0.001);
    share.put("maximum", 1);
    var type =
        ObjectType.of(
            BudgetPolicy.Ratio.class,
            "A share of the successes, and some retries per second whatever succeeds.");
    var perSuccess =
        type.required(
            "retriesPerSuccess",
            Codec.number("number, 0 to 1", BigDecimal.ONE, share),
            BudgetPolicy.Ratio::retriesPerSuccess,
            "What a success brings: 0 for nothing, or at least 0.001.");
    var perSecond =
        type.optional(
            "retriesPerSecond",
            perSecond(),
            0.0,
            BudgetPolicy.Ratio::retriesPerSecond,
            "What a second brings: 0 for nothing, or at least 0.001.");
    var saved =
        type.derived(
            "savedRetries",
            Codec.between(1, RetryBudget.MAX_TOKENS),
            BudgetPolicy.Ratio::savedRetries,
            "How many retries can be saved up; without it what ten seconds bring, but at least"
                + " 10.");
    var maxScopes = maxScopes(type);
    return type.makes(
        values -> {
          Integer given = values.find(saved);
          return new BudgetPolicy.Ratio(
              values.get(perSuccess),
              values.get(perSecond),
              given == null ? BudgetPolicy.Ratio.savedRetries(values.get(perSecond)) : given,
              values.get(maxScopes));
        });
  }

  private static <T extends BudgetPolicy> Field<T, Integer> maxScopes(ObjectType.Builder<T> type) {
    return type.optional(
        "maxScopes",
        Codec.between(0, BudgetPolicy.MAX_SCOPES),
        BudgetPolicy.DEFAULT_MAX_SCOPES,
        BudgetPolicy::maxScopes,
        "How many named scopes, such as hosts, have a budget of their own at a time; 0: all scopes"
            + " share one.");
  }

  private static Codec<Double> perSecond() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    schema
        .putArray("anyOf")
        .add(zero())
        .addObject()
        .put("type", "number")
        .put("minimum", 0.001)
        .put("maximum", RetryBudget.MAX_TOKENS);
    return Codec.number(
        "number, 0 to " + RetryBudget.MAX_TOKENS,
        BigDecimal.valueOf(RetryBudget.MAX_TOKENS),
        schema);
  }

  private static ObjectNode zero() {
    return JsonNodeFactory.instance.objectNode().put("const", 0);
  }

  /** Returns the tokens, and fractions of them down to a thousandth, as thousandths. */
  private static Codec<Integer> milliTokens() {
    BigDecimal most = BigDecimal.valueOf(RetryBudget.MAX_TOKENS);
    return new Codec<>(
        "number, 0 to " + most + ", down to a thousandth",
        "must be a number between 0 and " + most,
        (checks, path, value) -> {
          BigDecimal tokens = checks.decimal(path, value, BigDecimal.ZERO, most);
          if (tokens == null) {
            return null;
          }
          return tokens.stripTrailingZeros().scale() > 3
              ? Codec.refuse(checks, path, value, "must have at most three digits after the point")
              : Integer.valueOf(tokens.movePointRight(3).intValueExact());
        },
        milliTokens ->
            milliTokens % 1000 == 0
                ? JsonNodeFactory.instance.numberNode(milliTokens / 1000)
                : JsonNodeFactory.instance.numberNode(
                    BigDecimal.valueOf(milliTokens, 3).stripTrailingZeros()),
        JsonNodeFactory.instance
            .objectNode()
            .put("type", "number")
            .put("minimum", 0)
            .put("maximum", RetryBudget.MAX_TOKENS));
  }
}
