package dev.reprise.server.document;

/**
 * The receipt of an accepted message.
 *
 * @param messageId of the message
 * @param deliveries how many subscriptions get it
 * @param repeated whether it had been published before with the same idempotency key
 */
public record ReceiptDocument(String messageId, int deliveries, boolean repeated) {}
