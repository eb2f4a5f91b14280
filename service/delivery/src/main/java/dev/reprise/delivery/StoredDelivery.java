package dev.reprise.delivery;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A delivery as the store knows it. Whether a pending one is being attempted just now, only its
 * shard knows.
 *
 * @param subscription the subscription's number
 * @param message the message
 * @param state where the delivery stands
 * @param attempts attempts made
 * @param due why the next attempt is due when it is; null unless pending
 * @param payload the payload; null once the delivery has ended and is not kept, and in listings
 * @param history what happened, oldest first; empty in listings
 * @param last one line for people on the last attempt, or on the last receipt for it; empty if none
 *     was made
 */
public record StoredDelivery(
    long subscription,
    MessageId message,
    DeliveryState state,
    int attempts,
    @Nullable DueReason due,
    @Nullable Payload payload,
    List<HistoryEvent> history,
    String last) {}
