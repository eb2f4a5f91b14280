package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The states of all accepted deliveries.
 *
 * @param total of all subscriptions
 * @param subscriptions that there are
 * @param removed of those that there are no more
 * @param notTaken what the brokers of a cluster have accepted and no shard has taken: none of it is
 *     among the deliveries yet; nothing for a single service, null for one project
 * @param lost what was accepted and deleted before a shard had taken it in, a line for each shard
 *     and topic; absent if there is nothing, or if an operator has acknowledged it
 * @param verified what a count of the store says; null unless it was asked for
 */
public record LedgerDocument(
    LedgerCounts total,
    List<Line> subscriptions,
    LedgerCounts removed,
    @Nullable NotTaken notTaken,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> lost,
    @Nullable Verified verified) {
  /** Replaces what is absent by nothing accepted. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public LedgerDocument {
    total = total == null ? LedgerCounts.EMPTY : total;
    removed = removed == null ? LedgerCounts.EMPTY : removed;
    lost = lost == null ? List.of() : List.copyOf(lost);
  }

  /**
   * Records that no shard has taken.
   *
   * @param records how many, of all shards that could be asked
   * @param oldestAt when the oldest of them was appended, in RFC 3339; null if there is none
   * @param orEarlier whether that is only since when it was seen, so that it may be older
   * @param unknownShards those that could not be asked, or whose node gets no answer from the
   *     brokers: they may have more
   */
  public record NotTaken(
      long records, @Nullable String oldestAt, boolean orEarlier, List<Integer> unknownShards) {
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
  public record Line(String id, @JsonUnwrapped LedgerCounts counts) {}

  /**
   * A count of the store.
   *
   * @param agrees whether store and ledger say the same
   * @param millis how long it took
   * @param seen how many records of deliveries were looked at
   * @param disagreeing subscriptions of which they do not
   * @param unreadable how many records cannot be read
   * @param wrongPayloads stored, counted or needed wrongly
   * @param fromRecords the figures that the count confirms
   * @param fromCounters the figures of what leaves no record behind, or not always
   */
  public record Verified(
      boolean agrees,
      long millis,
      long seen,
      List<String> disagreeing,
      long unreadable,
      List<WrongPayload> wrongPayloads,
      List<String> fromRecords,
      List<String> fromCounters) {}

  /**
   * A payload that several deliveries share.
   *
   * @param messageId of its message
   * @param stored whether it is in the store
   * @param counted how many deliveries its counter has
   * @param needed how many deliveries have it
   */
  public record WrongPayload(String messageId, boolean stored, long counted, long needed) {}
}
