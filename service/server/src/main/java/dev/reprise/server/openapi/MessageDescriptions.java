package dev.reprise.server.openapi;

import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Messages". */
public final class MessageDescriptions {
  private static final String TAG = "Messages";

  private static final Schema MESSAGE =
      Schema.fields()
          .optional(
              "body",
              Schema.ANY,
              "What is delivered: any JSON but null. JSON is delivered byte for byte as it"
                  + " came, as application/json; a string as text/plain;charset=utf-8.")
          .optional(
              "bodyBase64",
              Schema.TEXT.with("contentEncoding", "base64"),
              "The body as base64, instead of body; application/octet-stream.")
          .optional(
              "bodies",
              Schema.fields()
                  .optional("http", Schema.ANY)
                  .optional("sms", Schema.TEXT)
                  .optional(
                      "email",
                      Schema.anyOf(
                          Schema.TEXT,
                          Schema.fields()
                              .optional("subject", Schema.text(250).with("minLength", 1))
                              .required("text", Schema.TEXT)
                              .optional("html", Schema.TEXT)
                              .closed()))
                  .optional("queue", Schema.ANY)
                  .optional("function", Schema.ANY)
                  .closed(),
              "Other bodies for single protocols. sms: a text of at most 10 parts (1530"
                  + " characters of the GSM alphabet, 670 of others). email: a text, or an object"
                  + " with subject, text and html. http, queue, function: any JSON but null; a"
                  + " string is sent as text. A message that a subscription's protocol cannot carry"
                  + " is refused.")
          .optional(
              "attributes",
              Schema.ANY_OBJECT
                  .with("maxProperties", 10)
                  .with("propertyNames", Schema.TEXT.with("pattern", "^[A-Za-z0-9_.-]{1,256}$")),
              "What filters look at: each a string, a number, a boolean, or a list of at most"
                  + " 100 strings. Body and attributes have 256 KB together at the most.")
          .optional(
              "contentType",
              Schema.text(256),
              "The media type of a body that is a string or base64.")
          .closed()
          .named("Message");

  public static final Description PUBLISH =
      Description.of("publish", TAG, "Publish a message, or one on each line")
          .text(
              "A published message is accepted for every subscription whose filter it passes; the"
                  + " answer comes when that is durable. The service alone publishes to the"
                  + " reserved topic reprise:operator: 409.")
          .path(PathParameters.TOPIC)
          .header(
              "Idempotency-Key",
              Schema.text(256).with("minLength", 1).with("pattern", "^[!-~]+$"),
              "Makes a repetition of this publish harmless for a day. Not with lines.")
          .header(
              "traceparent",
              Schema.TEXT,
              "The trace that this is published in (W3C Trace Context); each attempt sends"
                  + " its own place in it on. Of lines, for all of them. One that is not as the"
                  + " standard says is as if it were not there.")
          .header("tracestate", Schema.TEXT, "What other systems pass along with traceparent.")
          .body(MESSAGE)
          .body(
              "application/x-ndjson",
              Schema.TEXT.described("1 to 1000 lines of MessageLine, 16 MB at the most."))
          .answers(
              202,
              "Accepted and durable. For lines, one item each, in order; a line that was"
                  + " refused has an error and keeps no other back. If none is accepted, the status"
                  + " is the one that their errors have in common; else that of the first error"
                  + " from 500 up, or 400.",
              SharedSchemas.PUBLISHED)
          .answers(
              422, "The idempotency key was used for another content.", SharedSchemas.ERROR_ANSWER)
          .refuses(
              Refusal.NOT_FOUND,
              Refusal.CONFLICT,
              Refusal.TOO_LARGE,
              Refusal.QUOTA_REACHED,
              Refusal.STORAGE_FULL);

  private MessageDescriptions() {}
}
