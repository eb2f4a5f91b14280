package dev.reprise.spring;

import dev.reprise.core.budget.RetryBudget;
import dev.reprise.policy.PolicyDocuments;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Shows every retry: its policy, what is left of its budget, and what has been counted. It is at
 * {@code /actuator/reprise} when {@code management.endpoints.web.exposure.include} names {@code
 * reprise}; counting costs nothing where it is not exposed.
 */
@Endpoint(id = "reprise")
final class RetryEndpoint {
  private static final JsonMapper DOCUMENTS = JsonMapper.shared();
  private static final TypeReference<Map<String, Object>> AS_MAP = new TypeReference<>() {};
  private static final double MILLI_TOKENS_PER_TOKEN = 1000;

  /**
   * The shown facts of a retry.
   *
   * @param policy the whole policy document, defaults filled in
   * @param budget of the default scope; null when retries cost nothing
   */
  record Shown(Map<String, Object> policy, @Nullable Budget budget, RetryCounts.Snapshot counts) {}

  /** The shown facts of a budget. */
  record Budget(double balanceTokens, double capacityTokens) {}

  private final RetryRegistry registry;
  private final RetryCounts counts;

  RetryEndpoint(RetryRegistry registry, RetryCounts counts) {
    this.registry = registry;
    this.counts = counts;
  }

  @ReadOperation
  Map<String, Shown> all() {
    Map<String, Shown> all = new TreeMap<>();
    registry.names().forEach(name -> all.put(name, shown(name)));
    return all;
  }

  /** Returns one, or null, which is answered with 404. */
  @ReadOperation
  @Nullable Shown one(@Selector String name) {
    return registry.names().contains(name) ? shown(name) : null;
  }

  private Shown shown(String name) {
    return new Shown(
        DOCUMENTS.convertValue(PolicyDocuments.write(registry.policy(name)), AS_MAP),
        budget(name),
        counts.of(name));
  }

  private @Nullable Budget budget(String name) {
    RetryBudget budget = registry.budget(name);
    return budget == null
        ? null
        : new Budget(
            budget.balanceMilliTokens(System.nanoTime()) / MILLI_TOKENS_PER_TOKEN,
            budget.capacityMilliTokens() / MILLI_TOKENS_PER_TOKEN);
  }
}
