package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The states of all accepted deliveries.
 *
 * @param total of all subscriptions
 * @param subscriptions that there are
 * @param removed of those that there are no more
 * @param verified what a count of the store says; null unless it was asked for
 */
public record LedgerDocument(
    LedgerCounts total,
    List<Line> subscriptions,
    LedgerCounts removed,
    @Nullable Verified verified) {
  /** Replaces what is absent by nothing accepted. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public LedgerDocument {
    total = total == null ? LedgerCounts.EMPTY : total;
    removed = removed == null ? LedgerCounts.EMPTY : removed;
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
