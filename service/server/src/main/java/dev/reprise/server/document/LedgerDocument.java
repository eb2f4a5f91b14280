package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The states of all accepted deliveries.
 *
 * @param total of all subscriptions
 * @param subscriptions that there are
 */
@Described(name = "LedgerReport")
public record LedgerDocument(
    LedgerCounts total,
    List<Line> subscriptions,
    @Described("What removed subscriptions had.") LedgerCounts removed,
    @Described(
            value =
                "Records that the brokers of a cluster have accepted and no shard has taken yet:"
                    + " none of it is among the deliveries. What is taken while this is answered"
                    + " may be counted here and there, and is never in neither. 0 of a single"
                    + " service, which takes what it accepts; null of one project.",
            orNull = true)
        @Nullable NotTaken notTaken,
    @Described(
            "What was accepted and deleted before a shard had taken it in, a line for each"
                + " shard and topic, such as reprise.in-3; absent if there is nothing, or once"
                + " an operator has acknowledged it.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> lost,
    @Described(
            value = "What a count of the store says; null unless it was asked for.",
            orNull = true)
        @Nullable Verified verified) {
  /** Replaces what is absent by nothing accepted. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public LedgerDocument {
    total = total == null ? LedgerCounts.EMPTY : total;
    removed = removed == null ? LedgerCounts.EMPTY : removed;
    lost = lost == null ? List.of() : List.copyOf(lost);
  }

  /** Records that no shard has taken. */
  public record NotTaken(
      @Described("How many, of all shards that could be asked.") long records,
      @Described(
              value =
                  "When the oldest of them was appended, by the brokers' clock; null if there is"
                      + " none.",
              kind = Kind.TIME,
              orNull = true)
          @Nullable String oldestAt,
      @Described("Whether that is only since when it was seen, so that it may be older.")
          boolean orEarlier,
      @Described(
              "Shards that could not be asked, or whose node gets no answer from the brokers:"
                  + " they may have more.")
          List<Integer> unknownShards) {
    /** Replaces an empty time by none. */
    public NotTaken {
      oldestAt = oldestAt == null || oldestAt.isEmpty() ? null : oldestAt;
    }
  }

  /**
   * One subscription.
   *
   * @param id of the subscription
   * @param counts of its deliveries, beside the id
   */
  @Described(name = "SubscriptionLedger")
  public record Line(String id, @JsonUnwrapped LedgerCounts counts) {}

  /** A count of the store. */
  @Described(name = "LedgerVerification", value = "What a count of every record says.")
  public record Verified(
      @Described("Whether store and ledger say the same.") boolean agrees,
      @Described("How long it took.") long millis,
      @Described(
              "How many records of deliveries were looked at. It is all of them, at one"
                  + " moment: a count in parts would not agree with itself.")
          long seen,
      @Described("Subscriptions whose records are not what the ledger says, or cannot be read.")
          List<String> disagreeing,
      @Described("Records that cannot be read.") long unreadable,
      @Described(
              "Payloads shared by several deliveries that are missing, counted wrongly or"
                  + " not needed; at most 100 of a shard.")
          List<WrongPayload> wrongPayloads,
      @Described("The figures of the ledger that the records confirm.") List<String> fromRecords,
      @Described(
              "The figures that are counters: what has been delivered, discarded or has"
                  + " expired leaves no record, or not always.")
          List<String> fromCounters) {}

  /**
   * A payload that several deliveries share.
   *
   * @param messageId of its message
   */
  @Described(name = "WrongPayload")
  public record WrongPayload(
      String messageId,
      @Described("Whether it is in the store.") boolean stored,
      @Described("Deliveries that need it, by the stored count.") long counted,
      @Described("Deliveries that do need it.") long needed) {}
}
