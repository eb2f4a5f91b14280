package dev.reprise.delivery;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All that is kept with the ledger of a subscription, of one moment.
 *
 * @param ledger of its deliveries
 * @param receipts reports of its carrier on what it was delivered
 * @param repeats how often messages may have come twice
 * @param held how it is suspended and what is held for it; null if it is not
 * @param standing whether its endpoint fails
 */
public record SubscriptionFigures(
    Ledger ledger,
    ReceiptCounts receipts,
    RepeatCounts repeats,
    @Nullable HeldDeliveries held,
    EndpointStanding standing) {
  /** Those of a subscription that has never been given a message. */
  public static final SubscriptionFigures NONE =
      new SubscriptionFigures(
          Ledger.EMPTY, ReceiptCounts.NONE, RepeatCounts.NONE, null, EndpointStanding.NONE);

  /**
   * Returns the figures of one subscription that is kept in several shards.
   *
   * @param parts the figures of each shard, at least one
   */
  public static SubscriptionFigures of(List<SubscriptionFigures> parts) {
    if (parts.size() == 1) {
      return parts.get(0);
    }
    return new SubscriptionFigures(
        parts.stream().map(SubscriptionFigures::ledger).reduce(Ledger.EMPTY, Ledger::plus),
        parts.stream()
            .map(SubscriptionFigures::receipts)
            .reduce(ReceiptCounts.NONE, ReceiptCounts::plus),
        parts.stream()
            .map(SubscriptionFigures::repeats)
            .reduce(RepeatCounts.NONE, RepeatCounts::plus),
        parts.stream()
            .map(SubscriptionFigures::held)
            .filter(Objects::nonNull)
            .reduce(HeldDeliveries::plus)
            .orElse(null),
        EndpointStanding.of(parts.stream().map(SubscriptionFigures::standing).toList()));
  }
}
