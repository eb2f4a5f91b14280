package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A subscription with the policy in force and its ledger.
 *
 * @param id of the subscription
 * @param topic whose messages it gets
 * @param endpoint the URL that they are posted to
 * @param format {@code envelope} or {@code raw}
 * @param policy its own; absent if it has none
 * @param filter of attributes; absent if it gets all messages
 * @param deadLetters {@code keep} or {@code discard}
 * @param lifetime how long a delivery may take, in ISO 8601; absent if unlimited
 * @param maxInFlight the most attempts at the same time
 * @param createdAt in RFC 3339
 * @param effectivePolicy the policy that its deliveries follow
 * @param ledger of its deliveries
 * @param warnings of new settings that have no effect; absent if there are none
 */
public record SubscriptionDocument(
    String id,
    String topic,
    String endpoint,
    String format,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable JsonNode policy,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable JsonNode filter,
    String deadLetters,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) @Nullable String lifetime,
    int maxInFlight,
    String createdAt,
    EffectivePolicyDocument effectivePolicy,
    LedgerCounts ledger,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> warnings) {
  private static final EffectivePolicyDocument UNKNOWN =
      new EffectivePolicyDocument(null, "", null, null, null);

  /** Replaces what is absent. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public SubscriptionDocument {
    effectivePolicy = effectivePolicy == null ? UNKNOWN : effectivePolicy;
    ledger = ledger == null ? LedgerCounts.EMPTY : ledger;
  }

  /**
   * The policy that deliveries follow.
   *
   * @param healthyRetryPolicy every field of the retries
   * @param healthyRetryPolicyFrom where they are set: {@code subscription}, {@code topic} or {@code
   *     preset}
   * @param preset its name if they are from one; absent otherwise
   * @param throttlePolicy the highest rate, or null
   * @param throttlePolicyFrom where it is set, or null
   */
  public record EffectivePolicyDocument(
      @Nullable JsonNode healthyRetryPolicy,
      String healthyRetryPolicyFrom,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) @Nullable String preset,
      @Nullable ThrottleDocument throttlePolicy,
      @Nullable String throttlePolicyFrom) {}

  /**
   * The highest rate of attempts.
   *
   * @param maxReceivesPerSecond on average
   */
  public record ThrottleDocument(int maxReceivesPerSecond) {}
}
