package dev.reprise.policy;

import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.retry.Hedging;
import java.math.BigDecimal;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes policies of the general format, every field written out. */
final class StrategyWriter {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private StrategyWriter() {}

  static ObjectNode write(StrategyPolicy policy) {
    ObjectNode node = JSON.objectNode();
    node.put(StrategyReader.STRATEGY, policy.strategy().wireName());
    if (policy.strategy() != StrategyKind.NONE) {
      putRetries(node, policy);
    }
    putCalls(node, policy.calls());
    return node;
  }

  private static void putRetries(ObjectNode node, StrategyPolicy policy) {
    if (policy.maxAttempts() == Policy.UNLIMITED) {
      node.put(StrategyReader.MAX_ATTEMPTS, StrategyReader.UNLIMITED);
    } else {
      node.put(StrategyReader.MAX_ATTEMPTS, policy.maxAttempts());
    }
    node.set(StrategyReader.BACKOFF, BackoffWriter.write(policy.backoff()));
    if (!policy.throttleBackoff().equals(policy.backoff())) {
      node.set(StrategyReader.THROTTLE_BACKOFF, BackoffWriter.write(policy.throttleBackoff()));
    }
    node.set(StrategyReader.BUDGET, budget(policy.budget()));
    node.put(StrategyReader.HINT_CEILING, DurationText.exact(policy.hintCeiling()));
    node.put(StrategyReader.CLAMPS_HINTS, policy.clampsHints());
    node.put(StrategyReader.DELAYS_LONG_POLLS, policy.delaysLongPolls());
  }

  private static void putCalls(ObjectNode node, CallSettings calls) {
    if (calls.deadline() != null) {
      node.put(StrategyReader.DEADLINE, DurationText.exact(calls.deadline()));
    }
    if (calls.attemptTimeout() != null) {
      node.put(StrategyReader.ATTEMPT_TIMEOUT, DurationText.exact(calls.attemptTimeout()));
    }
    Hedging hedging = calls.hedging();
    if (hedging != null) {
      node.putObject(StrategyReader.HEDGING)
          .put("delay", DurationText.exact(hedging.delay()))
          .put("maxHedges", hedging.maxHedges());
    }
    node.put(StrategyReader.IDEMPOTENT, calls.idempotent());
  }

  static JsonNode budget(BudgetPolicy budget) {
    if (budget instanceof BudgetPolicy.TokenBucket bucket) {
      TokenPrices prices = bucket.prices();
      ObjectNode node = typed(BudgetReader.TOKEN_BUCKET);
      node.put("capacityTokens", bucket.capacityTokens());
      putTokens(node, "errorTokens", prices.errorMilliTokens());
      putTokens(node, "throttleTokens", prices.throttleMilliTokens());
      putTokens(node, "timeoutTokens", prices.timeoutMilliTokens());
      putTokens(node, "rewardTokens", prices.rewardMilliTokens());
      return node.put("refundsLastCost", prices.refundsLastCost())
          .put("tokensPerSecond", bucket.tokensPerSecond())
          .put(BudgetReader.MAX_SCOPES, bucket.maxScopes());
    }
    if (budget instanceof BudgetPolicy.Ratio ratio) {
      return typed(BudgetReader.RATIO)
          .put("retriesPerSuccess", ratio.retriesPerSuccess())
          .put("retriesPerSecond", ratio.retriesPerSecond())
          .put("savedRetries", ratio.savedRetries())
          .put(BudgetReader.MAX_SCOPES, ratio.maxScopes());
    }
    return JSON.stringNode(BudgetReader.UNLIMITED);
  }

  private static ObjectNode typed(String type) {
    return JSON.objectNode().put(BudgetReader.TYPE, type);
  }

  private static void putTokens(ObjectNode node, String field, int milliTokens) {
    if (milliTokens % 1000 == 0) {
      node.put(field, milliTokens / 1000);
    } else {
      node.put(field, BigDecimal.valueOf(milliTokens, 3).stripTrailingZeros());
    }
  }
}
