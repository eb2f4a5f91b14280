package dev.reprise.server.openapi;

import dev.reprise.server.document.CountsDocument;
import dev.reprise.server.document.DeliveryDetails;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Deliveries". */
public final class DeliveryDescriptions {
  private static final String TAG = "Deliveries";

  private static final Schema ATTEMPT_NOW_BODY =
      Schema.fields()
          .optional("message", Schema.MESSAGE_ID)
          .optional("cursor", Schema.TEXT.orNull())
          .optional(
              "limit",
              Schema.integer(1, 1000),
              "How many pending deliveries this call may look at.")
          .closed()
          .named("AttemptNow");

  public static final Description ATTEMPT_NOW =
      Description.of(
              "attemptNow", TAG, "Make what waits for a later retry due now, one part in a call")
          .text(
              "A pause that the endpoint asked for ends. The retries made so far count on;"
                  + " the policy decides what follows.")
          .path(PathParameters.SUBSCRIPTION)
          .optionalBody(ATTEMPT_NOW_BODY)
          .answers(
              200,
              "How many are due now; call again with next as cursor until it is null.",
              SharedSchemas.CHANGED)
          .refuses(Refusal.NOT_FOUND);

  public static final Description LIST_DELIVERIES =
      Description.of("listDeliveries", TAG, "Deliveries of a subscription, or of a message")
          .text(
              "Of a subscription: first what is pending, by due time; then dead letters,"
                  + " oldest first; then what has ended and is remembered, newest message first.")
          .query("subscription", Schema.TEXT, "The subscription's; this or message must be given.")
          .query("status", Schema.oneOf(Described.STATES.split(", ")), "Only these.")
          .query("message", Schema.MESSAGE_ID, "The message's.")
          .parts()
          .answers(
              200,
              "A part of the list. It may have fewer items than the limit, or none, and still"
                  + " go on.",
              Schema.seenPage("Deliveries", DeliveryDocument.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description GET_DELIVERY =
      Description.of(
              "getDelivery",
              TAG,
              "One delivery with its history, and why its next attempt is when it is")
          .path(PathParameters.DELIVERY)
          .answers(200, "The delivery.", Schema.of(DeliveryDetails.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description CANCEL =
      Description.of("cancel", TAG, "Give up what is pending, one part in a call")
          .text(
              "What is given up becomes a dead letter with the reason CANCELLED, unless the"
                  + " subscription discards. A delivery that is being attempted just now ends with"
                  + " that attempt.")
          .path(PathParameters.SUBSCRIPTION)
          .optionalBody(ATTEMPT_NOW_BODY)
          .answers(
              200,
              "How many are given up; call again with next as cursor until it is null.",
              SharedSchemas.CHANGED)
          .refuses(Refusal.NOT_FOUND);

  public static final Description COUNT_DELIVERIES =
      Description.of("countDeliveries", TAG, "Deliveries of a subscription by state")
          .text(
              "All figures but due and later are those of the ledger. For these two, pending"
                  + " deliveries are looked at, up to 100,000 in a call.")
          .path(PathParameters.SUBSCRIPTION)
          .cursor()
          .answers(200, "The counts.", Schema.of(CountsDocument.class))
          .refuses(Refusal.NOT_FOUND);

  private DeliveryDescriptions() {}
}
