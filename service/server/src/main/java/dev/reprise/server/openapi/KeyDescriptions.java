package dev.reprise.server.openapi;

import dev.reprise.server.document.KeyDocument;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Keys". */
public final class KeyDescriptions {
  private static final String TAG = "Keys";

  private static final Schema KEY_TO_CREATE =
      Schema.fields()
          .required("name", Schema.text(100).with("minLength", 1))
          .optional(
              "scopes",
              Schema.list(Schema.oneOf("publish", "read", "manage")).with("minItems", 1).orNull(),
              "The parts of the API that it opens. Absent: those of the key that makes it,"
                  + " which are also the most.")
          .optional(
              "project",
              Schema.TEXT.orNull(),
              "The only project that it is for. Absent: that of the request; if an operator"
                  + " has named none there, it is an operator's key.")
          .optional(
              "expiresAt",
              Schema.ANY_TIME.orNull(),
              "RFC 3339. Absent: when the key that makes it does, which is also the latest.")
          .closed()
          .named("KeyToCreate");

  private static final Schema KEY_ROTATION =
      Schema.fields()
          .optional(
              "overlap",
              Schema.TEXT.orNull(),
              "How long the previous secret stays valid: 0s to 30 days, such as 12h or P7D."
                  + " Absent: one day.")
          .closed()
          .named("KeyRotation");

  public static final Description LIST_KEYS =
      Description.of(
              "listKeys", TAG, "API keys of the project, oldest first, without their secrets")
          .parts()
          .answers(200, "A part of the list.", Schema.page("Keys", KeyDocument.class));

  public static final Description CREATE_KEY =
      Description.of("createKey", TAG, "Make an API key")
          .body(KEY_TO_CREATE)
          .answers(201, "The key, shown this once only.", Schema.of(KeyDocument.Fresh.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description REVOKE_KEY =
      Description.of("revokeKey", TAG, "Make a key worthless")
          .text("The last operator's key with scope manage that does not expire stays: 409.")
          .path(PathParameters.KEY)
          .answers(204, "It opens nothing any more.")
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  public static final Description ROTATE_KEY =
      Description.of("rotateKey", TAG, "Give a key another secret")
          .path(PathParameters.KEY)
          .optionalBody(KEY_ROTATION)
          .answers(
              200,
              "The key with its new secret, shown this once only.",
              Schema.of(KeyDocument.Fresh.class))
          .refuses(Refusal.NOT_FOUND);

  private KeyDescriptions() {}
}
