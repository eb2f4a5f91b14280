package dev.reprise.server.openapi;

import dev.reprise.server.schema.Schema;

/** The body of operator events, which subscriptions get as messages. */
final class OperatorEventSchema {
  static final Schema OPERATOR_EVENT =
      Schema.fields()
          .required(
              "type",
              Schema.oneOf(
                  "delivery.exhausted",
                  "subscription.suspended",
                  "subscription.released",
                  "endpoint.recovered",
                  "endpoint.held",
                  "carrier.down",
                  "carrier.recovered",
                  "secret.rotated",
                  "disk.low",
                  "disk.recovered",
                  "clock.off",
                  "clock.recovered"),
              "More may come: take one that is not known for what its text says.")
          .required("at", Schema.TIME)
          .required(
              "text", Schema.TEXT, "A sentence for people. Programs should read the other fields.")
          .required(
              "project",
              Schema.TEXT,
              "The project that it is about; default for carriers, disk, clock, and secrets"
                  + " of operators.")
          .optional("topic", Schema.TEXT)
          .optional(
              "subscription",
              Schema.TEXT,
              "The subscription's id. Absent from delivery.exhausted about several, when very"
                  + " many give up deliveries within a minute.")
          .optional(
              "subscriptionName",
              Schema.TEXT,
              "The subscription's name for people. Absent if it has none, or is deleted.")
          .optional(
              "customer",
              Schema.TEXT,
              "The subscription's customer. Absent if it has none, or is deleted.")
          .optional(
              "reason",
              Schema.TEXT,
              "Of delivery.exhausted: why, as of dead letters, such as ATTEMPTS. Of"
                  + " subscription.suspended: the reason that was given, if any. Of endpoint.held:"
                  + " the number and the code of the refusals, and the last one.")
          .optional(
              "count",
              Schema.COUNT,
              "Of endpoint.held: the deliveries that were given up before the rest was held."
                  + " Of delivery.exhausted: the deliveries given up since the last such event of"
                  + " this subscription and reason. Of secret.rotated with stored: the carriers and"
                  + " subscriptions whose secrets were encrypted anew.")
          .optional(
              "since",
              Schema.TIME,
              "Of delivery.exhausted: when the first of these deliveries was given up. Of"
                  + " endpoint.recovered: when the endpoint began to fail.")
          .optional(
              "last",
              Schema.fields()
                  .optional(
                      "delivery", Schema.TEXT, "The delivery's id. Absent where subscription is.")
                  .required("attempts", Schema.integer(0))
                  .required(
                      "summary",
                      Schema.TEXT,
                      "What came of its last attempt. The endpoint may have written of it.")
                  .open(),
              "Of delivery.exhausted: the last of these deliveries.")
          .optional("by", Schema.oneOf("operator", "endpoint"), "Of subscription.suspended.")
          .optional(
              "givenUp",
              Schema.COUNT,
              "Of endpoint.recovered: the deliveries given up since it began to fail.")
          .optional("carrier", Schema.TEXT)
          .optional("fault", Schema.TEXT, "Of carrier.down: the reason.")
          .optional(
              "secret",
              Schema.oneOf("signing", "api-key", "stored"),
              "Of secret.rotated: the signing secret of subscription, the API key whose id is"
                  + " in key, or all that is stored encrypted, which is under the current key now.")
          .optional("key", Schema.TEXT, "The id of an API key.")
          .optional("freeBytes", Schema.COUNT)
          .optional(
              "reserveBytes",
              Schema.COUNT,
              "Of disk.low and disk.recovered: publishes are refused while less than this is"
                  + " free.")
          .optional(
              "detail",
              Schema.TEXT,
              "Of disk.low and disk.recovered: the space that is left, for people, on the"
                  + " disk or below the store's own bound. Of clock.off and clock.recovered: the"
                  + " text without the node.")
          .optional(
              "node",
              Schema.TEXT,
              "Of clock.off and clock.recovered in a cluster: the node whose clock it is.")
          .optional(
              "aheadMillis",
              Schema.SIGNED,
              "Of clock.off: by how much the service's clock is ahead of the system's, less than 0"
                  + " if it is behind. Of clock.recovered: by how much it was at the most.")
          .optional("forMillis", Schema.COUNT, "Of clock.recovered: how long the clocks differed.")
          .optional(
              "code", Schema.TEXT, "Of endpoint.held: the code that all refusals have in common.")
          .optional(
              "host",
              Schema.TEXT,
              "Of endpoint.held: scheme, host and port, or function and its name, where all"
                  + " that goes there waits and not one subscription.")
          .open()
          .described(
              "The body of a message on the reserved topic reprise:operator, which every project"
                  + " has, which cannot be deleted, and to which only the service publishes."
                  + " project, topic, subscription, customer, by, carrier, secret and the reason of"
                  + " delivery.exhausted are attributes of the message as well, as is type, so that"
                  + " subscriptions can filter. There is no event about deliveries of operator"
                  + " events. Subscriptions of protocol sms get the text, those of protocol email"
                  + " the text with a subject.")
          .named("OperatorEvent");

  private OperatorEventSchema() {}
}
