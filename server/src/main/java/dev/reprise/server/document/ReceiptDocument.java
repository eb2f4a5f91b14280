package dev.reprise.server.document;

/**
 * What became of a message that was accepted.
 *
 * @param messageId of the message
 * @param deliveries how many subscriptions get it
 * @param repeated whether it had been published before with the same idempotency key
 */
public record ReceiptDocument(String messageId, int deliveries, boolean repeated) {}
