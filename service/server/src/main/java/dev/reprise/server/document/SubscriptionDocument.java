package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A subscription with the policy in force and its ledger.
 *
 * @param id of the subscription
 * @param topic whose messages it gets
 * @param protocol the kind of endpoint, such as {@code http}
 * @param endpoint where they go, as the protocol has it
 * @param carrier the carrier that reaches the endpoint; absent if there is none
 * @param format the form in which they are sent, such as {@code envelope}
 * @param policy its own; absent if it has none
 * @param filter of attributes; absent if it gets all messages
 * @param deadLetters {@code keep} or {@code discard}
 * @param lifetime how long a delivery may take, in ISO 8601; absent if unlimited
 * @param maxInFlight the most attempts at the same time
 * @param http what an endpoint that is a URL asks for, without secrets; absent for nothing
 * @param deadLetterTarget the subscription that gets its dead letters; absent if they stay
 * @param startSuspended whether it was created suspended; absent if not
 * @param suspendWhenGone whether the status 410 suspends it; absent if not
 * @param shards over how many its deliveries are spread; absent for one
 * @param suspended how it is suspended; absent if it is not
 * @param createdAt in RFC 3339
 * @param effectivePolicy the policy that its deliveries follow
 * @param ledger of its deliveries
 * @param receipts later reports of a carrier on what it had taken; absent if there are none
 * @param repeats attempts that may have brought a message once more, by reason; absent if there are
 *     none
 * @param flags conditions that need attention, such as {@code catch-all}; absent if there are none
 * @param warnings of new settings that have no effect, and the reasons of flags; absent if there
 *     are none
 */
public record SubscriptionDocument(
    String id,
    String topic,
    String protocol,
    String endpoint,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String carrier,
    String format,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable JsonNode policy,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable JsonNode filter,
    String deadLetters,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) @Nullable String lifetime,
    int maxInFlight,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable JsonNode http,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) @Nullable String deadLetterTarget,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean startSuspended,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean suspendWhenGone,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer shards,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable SuspendedDocument suspended,
    String createdAt,
    EffectivePolicyDocument effectivePolicy,
    LedgerCounts ledger,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ReceiptsDocument receipts,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, Long> repeats,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> flags,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> warnings) {
  private static final EffectivePolicyDocument UNKNOWN =
      new EffectivePolicyDocument(null, "", null, null, null);

  /** Replaces what is absent. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public SubscriptionDocument {
    protocol = protocol == null ? "http" : protocol;
    effectivePolicy = effectivePolicy == null ? UNKNOWN : effectivePolicy;
    ledger = ledger == null ? LedgerCounts.EMPTY : ledger;
    flags = flags == null ? List.of() : flags;
    repeats = repeats == null ? Map.of() : repeats;
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
   * The suspension of a subscription.
   *
   * @param by what suspended it: {@code operator}, {@code endpoint} or {@code creation}
   * @param since in RFC 3339
   * @param reason for people; absent if none was given
   * @param maxAge how long a delivery is held, in ISO 8601
   * @param maxHeld how many are held
   * @param held how many are pending
   * @param dropsAt when the first of them may be given up, in RFC 3339; null if none is pending
   */
  public record SuspendedDocument(
      String by,
      String since,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) @Nullable String reason,
      String maxAge,
      long maxHeld,
      long held,
      @Nullable String dropsAt) {}

  /**
   * Later reports of a carrier, one for each part of a message.
   *
   * @param delivered that report success
   * @param failed that report failure; the deliveries stay delivered
   */
  public record ReceiptsDocument(long delivered, long failed) {}

  /**
   * The highest rate of attempts.
   *
   * @param maxReceivesPerSecond on average
   */
  public record ThrottleDocument(int maxReceivesPerSecond) {}
}
