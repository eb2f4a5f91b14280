package dev.reprise.server.openapi;

import dev.reprise.server.document.ErrorDocument;
import dev.reprise.server.schema.ObjectSchema;
import dev.reprise.server.schema.Schema;
import java.util.List;

/** Schemas that several parts of the API have in common. */
final class SharedSchemas {
  static final Schema CHANGED =
      Schema.fields()
          .required("changed", Schema.COUNT)
          .required("next", Schema.TEXT.orNull())
          .required("seen", Schema.COUNT, "How many records were looked at for this part.")
          .closed()
          .named("Changed");

  static final Schema ERROR_ANSWER =
      Schema.fields()
          .required("error", Schema.of(ErrorDocument.class))
          .optional(
              "items",
              Schema.list(Schema.reference("ErrorAnswer")),
              "Only where lines were published and none was accepted: why, in the order of"
                  + " the lines.")
          .closed()
          .named("ErrorAnswer");

  static final Schema LINE_RECEIPT =
      receipt()
          .optional("error", Schema.of(ErrorDocument.class))
          .closed()
          .described("What became of one line: a receipt, or an error.")
          .named("LineReceipt");

  static final Schema NOTHING =
      Schema.fields()
          .closed()
          .described("An object without fields, or no body at all.")
          .named("Nothing");

  static final Schema PUBLISHED =
      receipt()
          .optional("items", Schema.list(LINE_RECEIPT), "Only of lines, in their order.")
          .closed()
          .described(
              "Of one message its receipt (messageId, deliveries and repeated), of lines the"
                  + " items.")
          .named("Published");

  static final Schema MESSAGE_LINE =
      Schema.fields()
          .optional("body", Schema.ANY, "As in Message.")
          .optional("bodyBase64", Schema.TEXT)
          .optional("bodies", Schema.ANY_OBJECT, "As in Message.")
          .optional("attributes", Schema.ANY_OBJECT, "As in Message.")
          .optional("contentType", Schema.TEXT)
          .optional("idempotencyKey", Schema.text(256).with("minLength", 1))
          .closed()
          .described("A line of application/x-ndjson.")
          .named("MessageLine");

  /** Those that texts name, and no operation refers to. */
  static final List<Schema> UNREFERENCED =
      List.of(MESSAGE_LINE, OperatorEventSchema.OPERATOR_EVENT);

  private SharedSchemas() {}

  private static ObjectSchema receipt() {
    return Schema.fields()
        .optional("messageId", Schema.MESSAGE_ID)
        .optional(
            "deliveries",
            Schema.integer(0),
            "How many deliveries were accepted; of a repetition, how many were at the first"
                + " time.")
        .optional(
            "repeated",
            Schema.FLAG,
            "Whether the same publish had been accepted before, so that nothing new was"
                + " done.");
  }
}
