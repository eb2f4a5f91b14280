package dev.reprise.server.document;

import dev.reprise.server.schema.Described;

/** A record that was passed over. */
@Described(name = "SkippedRecord")
public record SkippedDocument(
    @Described("Its place, such as in-3@17.") String id,
    @Described("The shard that stood there.") int shard) {}
