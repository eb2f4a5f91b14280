package dev.reprise.server.document;

/**
 * A record that was passed over.
 *
 * @param id its place, such as {@code in-3@17}
 * @param shard the shard that stood there
 */
public record SkippedDocument(String id, int shard) {}
