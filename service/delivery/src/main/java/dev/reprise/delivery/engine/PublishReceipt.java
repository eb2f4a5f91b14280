package dev.reprise.delivery.engine;

import dev.reprise.delivery.MessageId;

/**
 * The effect of a publish. It is durable.
 *
 * @param message the id of the message; the one from before if the idempotency key was known
 * @param deliveries how many deliveries were accepted; of a repetition, how many were at the first
 *     time, whichever subscriptions match now
 * @param repeated whether the same publish had been accepted before, so that nothing new was done
 */
public record PublishReceipt(MessageId message, int deliveries, boolean repeated) {}
