package dev.reprise.server.openapi;

import dev.reprise.server.document.AuditDocument;
import dev.reprise.server.http.Description;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Audit". */
public final class AuditDescriptions {
  private static final String TAG = "Audit";

  public static final Description LIST_AUDIT =
      Description.of("listAudit", TAG, "The changes that were made, newest first")
          .text(
              "A record is written after the change and before its answer. What was refused"
                  + " has changed nothing and is not recorded; nor are publishes.")
          .query("from", Schema.ANY_TIME, "Only what was made at this time or later.")
          .query("to", Schema.ANY_TIME, "Only what was made before this time.")
          .query("key", Schema.TEXT, "Only what was made with the key of this id.")
          .query("target", Schema.TEXT, "Only what was made to this id or name.")
          .query("operation", Schema.TEXT, "Only what was made by this operationId.")
          .parts()
          .answers(
              200,
              "A part of the list. One answer looks at 10,000 records at the most, so it may"
                  + " have fewer items than the limit, or none, and go on all the same.",
              Schema.seenPage("AuditRecords", AuditDocument.class));

  private AuditDescriptions() {}
}
