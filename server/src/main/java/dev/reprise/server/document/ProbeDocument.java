package dev.reprise.server.document;

import org.jspecify.annotations.Nullable;

/**
 * Tells whether the process is alive or ready.
 *
 * @param status one word or two, such as {@code ready}
 * @param reason why it is not, or null
 */
public record ProbeDocument(String status, @Nullable String reason) {}
