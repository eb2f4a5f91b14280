package dev.reprise.server.openapi;

import dev.reprise.server.document.ChangeDocument;
import dev.reprise.server.document.DeadLetterSummaryDocument;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Dead letters". */
public final class DeadLetterDescriptions {
  private static final String TAG = "Dead letters";

  private static final Schema STOP_REASON = Schema.oneOf(Described.STOP_REASONS.split(", "));

  private static final Schema DEAD_LETTER_FILTER =
      Schema.fields()
          .optional("reason", STOP_REASON.orNull(), "Why there is no further attempt.")
          .optional("message", Schema.MESSAGE_ID.orNull())
          .optional("diedFrom", Schema.ANY_TIME.orNull(), "Given up at this time or later.")
          .optional("diedTo", Schema.ANY_TIME.orNull(), "Given up before this time.")
          .optional(
              "attributes",
              Schema.ANY_OBJECT.orNull(),
              "A filter on attributes, as in a subscription.")
          .optional(
              "text",
              Schema.TEXT.orNull(),
              "A part of what came of the last attempt, in whatever case.")
          .closed()
          .described("What is absent does not restrict.")
          .named("DeadLetterFilter");

  private static final Schema REDRIVE_BODY =
      Schema.fields()
          .optional("filter", DEAD_LETTER_FILTER.orNull())
          .optional(
              "perSecond",
              Schema.NUMBER.with("minimum", 0.001).with("maximum", 1000000).orNull(),
              "How many become due per second; absent: all at once.")
          .optional("dryRun", Schema.FLAG, "Only count.")
          .optional("cursor", Schema.TEXT.orNull())
          .optional("limit", Schema.integer(1, 1000))
          .optional(
              "to",
              Schema.TEXT.orNull(),
              "The id of another subscription of the same project, which accepts them as"
                  + " messages of its own; perSecond must be absent then. Absent: this one.")
          .closed()
          .named("Redrive");

  public static final Description LIST_DEAD_LETTERS =
      filtered(Description.of("listDeadLetters", TAG, "Dead letters, oldest first"))
          .parts()
          .answers(
              200,
              "A part of the list. It may have fewer items than the limit, or none, and still"
                  + " go on.",
              Schema.seenPage("Deliveries", DeliveryDocument.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description PURGE_DEAD_LETTERS =
      filtered(Description.of("purgeDeadLetters", TAG, "Delete dead letters, one part in a call"))
          .parts()
          .answers(
              200,
              "How many were deleted; call again with next until it is null.",
              SharedSchemas.CHANGED)
          .refuses(Refusal.NOT_FOUND);

  public static final Description REDRIVE =
      Description.of("redrive", TAG, "Try dead letters again, one part in a call")
          .path(PathParameters.SUBSCRIPTION)
          .optionalBody(REDRIVE_BODY)
          .answers(
              200,
              "How many were moved, or with dryRun would be; call again with next as cursor"
                  + " until it is null.",
              Schema.of(ChangeDocument.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description COUNT_DEAD_LETTERS =
      filtered(Description.of("countDeadLetters", TAG, "Dead letters of a subscription by reason"))
          .cursor()
          .answers(
              200,
              "The counts; call again with next as cursor until it is null, and add them up.",
              Schema.of(DeadLetterSummaryDocument.class))
          .refuses(Refusal.NOT_FOUND);

  private DeadLetterDescriptions() {}

  private static Description filtered(Description description) {
    return description
        .path(PathParameters.SUBSCRIPTION)
        .query("reason", STOP_REASON, "Why it was given up.")
        .query("message", Schema.MESSAGE_ID, "The message.")
        .query("diedFrom", Schema.ANY_TIME, "Given up at this time or later.")
        .query("diedTo", Schema.ANY_TIME, "Given up before this time.")
        .query("attributes", Schema.TEXT, "A filter on attributes, as JSON.")
        .query("text", Schema.TEXT, "A part of what came of the last attempt, in whatever case.");
  }
}
