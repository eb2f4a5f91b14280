package dev.reprise.server.openapi;

import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.server.document.CarrierDocument;
import dev.reprise.server.document.CarrierTypeDocument;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.ObjectSchema;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Carriers". */
public final class CarrierDescriptions {
  private static final String TAG = "Carriers";
  private static final String UNCHECKED =
      "Keep the settings although the carrier cannot be used with them now.";

  private static final Schema CARRIER_TO_CREATE =
      settings(
              Schema.fields()
                  .required("name", Schema.TEXT.with("pattern", "^[A-Za-z0-9_.-]{1,64}$"))
                  .required("type", Schema.TEXT, "smpp, smtp, amqp, kafka, aws or proxy."))
          .closed()
          .named("CarrierToCreate");

  private static final Schema CARRIER_CHANGE =
      settings(
              Schema.fields()
                  .optional("name", Schema.TEXT, "As it is.")
                  .optional("type", Schema.TEXT, "As it is."))
          .closed()
          .described("What is absent stays as it is; of settings, null removes one.")
          .named("CarrierChange");

  public static final Description LIST_CARRIERS =
      Description.of("listCarriers", TAG, "Carriers, by name")
          .parts()
          .answers(200, "A part of the list.", Schema.page("Carriers", CarrierDocument.class));

  public static final Description CREATE_CARRIER =
      Description.of("createCarrier", TAG, "Set up a carrier")
          .text("The settings are proven by connecting; nothing is sent.")
          .query("unchecked", Schema.FLAG, UNCHECKED)
          .body(CARRIER_TO_CREATE)
          .answers(201, "It was proven by connecting, and runs.", Schema.of(CarrierDocument.class))
          .refuses(Refusal.CONFLICT);

  public static final Description LIST_CARRIER_TYPES =
      Description.of(
              "listCarrierTypes", TAG, "Kinds of carriers, with the JSON Schema of their settings")
          .answers(
              200, "All of them, by name.", Schema.page("CarrierTypes", CarrierTypeDocument.class));

  public static final Description GET_CARRIER =
      Description.of("getCarrier", TAG, "One carrier")
          .path(PathParameters.CARRIER)
          .answers(200, "The carrier.", Schema.of(CarrierDocument.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description CHANGE_CARRIER =
      Description.of("changeCarrier", TAG, "Change some settings")
          .text(
              "The settings are proven by connecting. Secrets do not follow to another"
                  + " address: they must be given again.")
          .path(PathParameters.CARRIER)
          .query("unchecked", Schema.FLAG, UNCHECKED)
          .body(CARRIER_CHANGE)
          .answers(200, "It runs with the new settings.", Schema.of(CarrierDocument.class))
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  public static final Description CHANGE_CARRIER_BY_POST =
      Description.of(
              "changeCarrierByPost",
              TAG,
              "Change some settings, for clients that cannot send PATCH")
          .text("The same as PATCH.")
          .path(PathParameters.CARRIER)
          .query("unchecked", Schema.FLAG, UNCHECKED)
          .body(CARRIER_CHANGE)
          .answers(200, "It runs with the new settings.", Schema.of(CarrierDocument.class))
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  public static final Description DELETE_CARRIER =
      Description.of("deleteCarrier", TAG, "Delete a carrier that no subscription names")
          .path(PathParameters.CARRIER)
          .answers(204, "It is gone.")
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  public static final Description TEST_CARRIER =
      Description.of("testCarrier", TAG, "Connect as a delivery would, and send nothing")
          .path(PathParameters.CARRIER)
          .answers(
              200,
              "What was reached, or what is in the way.",
              Schema.of(CarrierDocument.Tested.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description RESUME_CARRIER =
      Description.of(
              "resumeCarrier",
              TAG,
              "Go on with what waits because the carrier has refused everything alike")
          .path(PathParameters.CARRIER)
          .answers(
              200,
              "Durable. What is refused from now on counts anew.",
              Schema.of(CarrierDocument.Resumed.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description REPORT_TO_CARRIER =
      Description.of("reportToCarrier", TAG, "Hand over a bounce")
          .text(
              "A delivery status notification (RFC 3464) that a mail server has received for"
                  + " a message of this carrier. It becomes an event of the delivery, which is not"
                  + " reopened.")
          .path(PathParameters.CARRIER)
          .body("message/rfc822", Schema.TEXT)
          .answers(
              200,
              "Whether it was the last word on a delivery.",
              Schema.of(CarrierDocument.Reported.class))
          .refuses(Refusal.NOT_FOUND);

  private CarrierDescriptions() {}

  private static ObjectSchema settings(ObjectSchema fields) {
    return fields
        .optional("maxInFlight", Schema.integer(1, CarrierDefinition.MAX_IN_FLIGHT))
        .optional("maxPerSecond", Schema.integer(0, CarrierDefinition.MAX_PER_SECOND))
        .optional(
            "settings",
            Schema.ANY_OBJECT,
            "The settings of the type, which service/endpoints/README.md lists. Secrets are"
                + " encrypted, and never shown again.");
  }
}
