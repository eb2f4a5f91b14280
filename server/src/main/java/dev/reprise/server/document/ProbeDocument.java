package dev.reprise.server.document;

import org.jspecify.annotations.Nullable;

/**
 * Whether the process lives, or is ready.
 *
 * @param status one word or two, such as {@code ready}
 * @param reason why it is not, or null
 */
public record ProbeDocument(String status, @Nullable String reason) {}
