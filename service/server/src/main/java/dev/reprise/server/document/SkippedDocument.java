package dev.reprise.server.document;

import dev.reprise.server.schema.Described;

/**
 * A record that was passed over.
 *
 * @param id its place, such as {@code in-3@17}
 */
@Described(name = "SkippedRecord")
public record SkippedDocument(String id, @Described("The shard that stood there.") int shard) {}
