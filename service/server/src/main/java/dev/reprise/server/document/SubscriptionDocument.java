package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A subscription with the policy in force and its ledger.
 *
 * @param id of the subscription
 * @param topic whose messages it gets
 * @param createdAt in RFC 3339
 * @param ledger of its deliveries
 */
public record SubscriptionDocument(
    String id,
    String topic,
    @Described(kind = Kind.SETTING) String protocol,
    @Described(kind = Kind.SETTING) String endpoint,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String carrier,
    @Described(kind = Kind.SETTING) String format,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable JsonNode policy,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable JsonNode filter,
    @Described(kind = Kind.SETTING) String deadLetters,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_EMPTY)
        @Nullable String lifetime,
    @Described(kind = Kind.SETTING) int maxInFlight,
    @Described(kind = Kind.HTTP_SETTINGS) @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable JsonNode http,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_EMPTY)
        @Nullable String deadLetterTarget,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_DEFAULT)
        boolean startSuspended,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_DEFAULT)
        boolean suspendWhenGone,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable Integer shards,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String name,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_EMPTY)
        Map<String, String> labels,
    @Described(kind = Kind.SETTING) @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String customer,
    @Described("How it is suspended; absent if it is not.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable SuspendedDocument suspended,
    @Described(
            value =
                "When the first of the present unbroken row of failed attempts ended; absent if"
                    + " the last attempt succeeded, or none has ended. Checks of the receiver and"
                    + " later reports of a carrier do not count. With shards: not before the last"
                    + " success of any of them.",
            kind = Kind.TIME)
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String failingSince,
    @Described(
            value = "When the last attempt that succeeded ended; absent if none has.",
            kind = Kind.TIME)
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String lastSuccess,
    @Described("The last attempt that ended; absent if none has.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable LastOutcomeDocument lastOutcome,
    @Described(kind = Kind.TIME) String createdAt,
    @Described("The policy that its deliveries follow.") EffectivePolicyDocument effectivePolicy,
    LedgerCounts ledger,
    @Described(
            "Later reports of the carrier on what it had taken, one for each part of a"
                + " message; absent if there are none. The deliveries stay delivered.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable ReceiptsDocument receipts,
    @Described(
            value =
                "Attempts that may have brought a message once more, by the reason, as"
                    + " mayRepeat of a delivery's history has it; absent if there are none.",
            oneOf = Described.REPEATS)
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        Map<String, Long> repeats,
    @Described(
            value =
                "What needs attention; a warning says why. catch-all: an endpoint gets"
                    + " all messages of many topics. Absent if there is none.",
            oneOf = "catch-all")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> flags,
    @Described(
            "What was accepted and has no effect, where something was changed; and the"
                + " reason of each flag. Only if there is any.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> warnings) {
  private static final EffectivePolicyDocument UNKNOWN =
      new EffectivePolicyDocument(null, "", null, null, null);

  /** Replaces what is absent. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public SubscriptionDocument {
    protocol = protocol == null ? "http" : protocol;
    effectivePolicy = effectivePolicy == null ? UNKNOWN : effectivePolicy;
    labels = labels == null ? Map.of() : labels;
    ledger = ledger == null ? LedgerCounts.EMPTY : ledger;
    flags = flags == null ? List.of() : flags;
    repeats = repeats == null ? Map.of() : repeats;
  }

  /**
   * The policy that deliveries follow.
   *
   * @param throttlePolicy the highest rate, or null
   */
  @Described(
      name = "EffectivePolicy",
      value = "The policy that holds, and where each part of it comes from.")
  public record EffectivePolicyDocument(
      @Described(value = "Every field of the retries.", kind = Kind.OBJECT)
          @Nullable JsonNode healthyRetryPolicy,
      @Described(value = "What sets them.", oneOf = "subscription, topic, preset")
          String healthyRetryPolicyFrom,
      @Described("The preset's name, if it is from one.")
          @JsonInclude(JsonInclude.Include.NON_EMPTY)
          @Nullable String preset,
      @Described(orNull = true) @Nullable ThrottleDocument throttlePolicy,
      @Described(
              value = "What sets it; null if nothing does.",
              oneOf = "subscription, topic",
              orNull = true)
          @Nullable String throttlePolicyFrom) {}

  /**
   * The suspension of a subscription.
   *
   * @param since in RFC 3339
   * @param reason for people; absent if none was given
   */
  @Described(name = "Suspended", value = "How the subscription is suspended; absent if it is not.")
  public record SuspendedDocument(
      @Described(
              value =
                  "What suspended it: an operator, the status 410 of its endpoint, or its creation."
                      + " A host name that this version reads otherwise than the one that stored it"
                      + " holds a subscription as an operator does; the reason says so, and a"
                      + " release, or the endpoint given again, confirms the new name.",
              oneOf = "operator, endpoint, creation")
          String by,
      @Described(kind = Kind.TIME) String since,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) @Nullable String reason,
      @Described("How long a delivery is held from when it is due: ISO 8601.") String maxAge,
      @Described("How many are held.") long maxHeld,
      @Described("How many deliveries are pending.") long held,
      @Described(
              value =
                  "When the first of them may be given up, unless the subscription is released"
                      + " before.",
              kind = Kind.TIME,
              orNull = true)
          @Nullable String dropsAt) {}

  /**
   * The last attempt that ended.
   *
   * @param at when it ended, in RFC 3339
   */
  @Described(name = "LastOutcome")
  public record LastOutcomeDocument(
      @Described(kind = Kind.TIME) String at,
      @Described(
              value =
                  "The class of its outcome. 4xx is without 429. refused: the rules of the service"
                      + " forbid the address or the request. ok, retryable, permanent: of protocols"
                      + " that have no such status.",
              oneOf = Described.OUTCOMES)
          String outcome,
      @Described("One line for people with the status, at most 120 characters.") String summary) {}

  /**
   * Later reports of a carrier, one for each part of a message.
   *
   * @param delivered that report success
   * @param failed that report failure; the deliveries stay delivered
   */
  public record ReceiptsDocument(long delivered, long failed) {}

  /** The highest rate of attempts. */
  public record ThrottleDocument(
      @Described("The highest rate, on average.") int maxReceivesPerSecond) {}
}
