package dev.reprise.server.openapi;

import dev.reprise.server.document.MinuteDocument;
import dev.reprise.server.document.ReceiverCheckDocument;
import dev.reprise.server.document.SigningSecretDocument;
import dev.reprise.server.document.SubscriptionDetails;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.schema.CatalogSchemas;
import dev.reprise.server.schema.Schema;

/** The operations of the API's part "Subscriptions". */
public final class SubscriptionDescriptions {
  private static final String TAG = "Subscriptions";

  private static final Schema SIGNING_SECRET_CHANGE =
      Schema.fields()
          .optional(
              "kind",
              Schema.oneOf("shared", "ed25519"),
              "shared: a secret that the receiver knows as well (v1). ed25519: a private key"
                  + " that stays here, of which the receiver gets the public one (v1a).")
          .optional(
              "overlap",
              Schema.TEXT,
              "How long the previous secret signs as well: 0s to 30 days, such as 24h, which"
                  + " is the default.")
          .closed()
          .named("SigningSecretChange");

  private static final Schema SUSPEND_BODY =
      Schema.fields()
          .optional("reason", Schema.text(200).orNull(), "The reason, one line.")
          .optional(
              "maxAge",
              Schema.TEXT.orNull(),
              "How long a delivery is held from when it is due: 1s to ten years. Absent: 14"
                  + " days.")
          .optional(
              "maxHeld",
              Schema.integer(0, 1000000000).orNull(),
              "How many deliveries are held. Absent: 1000000.")
          .closed()
          .named("Suspend");

  public static final Description SUBSCRIBE =
      Description.of("subscribe", TAG, "Create a subscription")
          .path(PathParameters.TOPIC)
          .body(CatalogSchemas.SETTINGS)
          .answers(201, "The next publish reaches it.", Schema.of(SubscriptionDetails.class))
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  public static final Description LIST_SUBSCRIPTIONS =
      Description.of("listSubscriptions", TAG, "Subscriptions, oldest first")
          .query("topic", Schema.TEXT, "Only this topic's.")
          .query(
              "search",
              Schema.text(256),
              "Only those whose id, topic, endpoint, name, customer or value of a label has this"
                  + " text, in whatever case.")
          .query(
              "suspended",
              Schema.FLAG,
              "Only those that are suspended, or only those that are not.")
          .query(
              "failing",
              Schema.FLAG,
              "Only those whose last attempt failed, or only the others: one of which no attempt"
                  + " has ended does not fail.")
          .query("customer", Schema.TEXT, "Only those of this customer, whose id must be equal.")
          .query(
              "label",
              Schema.list(Schema.TEXT),
              "Only those with this label, such as team=billing or team:billing: the key, = or :,"
                  + " and the whole value. May be repeated, up to 20 times: all must be there.")
          .parts()
          .answers(
              200, "A part of the list.", Schema.page("Subscriptions", SubscriptionDetails.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description GET_SUBSCRIPTION =
      Description.of("getSubscription", TAG, "One subscription, with its endpoint's health")
          .path(PathParameters.SUBSCRIPTION)
          .answers(200, "The subscription.", Schema.of(SubscriptionDetails.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description CHANGE_SUBSCRIPTION =
      Description.of("changeSubscription", TAG, "Change some settings")
          .text(
              "A changed policy holds from the next decision on; what waits keeps its time,"
                  + " unless attempt-now makes it due.")
          .path(PathParameters.SUBSCRIPTION)
          .body(CatalogSchemas.CHANGE)
          .answers(
              200, "They hold from the next decision on.", Schema.of(SubscriptionDetails.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description CHANGE_SUBSCRIPTION_BY_POST =
      Description.of(
              "changeSubscriptionByPost",
              TAG,
              "Change some settings, for clients that cannot send PATCH")
          .text("The same as PATCH.")
          .path(PathParameters.SUBSCRIPTION)
          .body(CatalogSchemas.CHANGE)
          .answers(
              200, "They hold from the next decision on.", Schema.of(SubscriptionDetails.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description UNSUBSCRIBE =
      Description.of("unsubscribe", TAG, "Delete a subscription; what it holds is discarded")
          .path(PathParameters.SUBSCRIPTION)
          .answers(204, "It is gone.")
          .refuses(Refusal.NOT_FOUND);

  public static final Description CHANGE_SIGNING_SECRET =
      Description.of("changeSigningSecret", TAG, "Sign with a new secret (Standard Webhooks)")
          .text(
              "The previous secret signs as well for a while, so that receivers have time to"
                  + " change.")
          .path(PathParameters.SUBSCRIPTION)
          .body(SIGNING_SECRET_CHANGE)
          .answers(200, "The new secret, shown this once.", Schema.of(SigningSecretDocument.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description CHECK_RECEIVER =
      Description.of("checkReceiver", TAG, "Check whether a receiver does right")
          .text(
              "Sends up to five requests to the endpoint, one after the other, as attempts"
                  + " are made, and reports which of the answers are right: a message is taken with"
                  + " 2xx; one with a wrong signature, and one that was signed an hour ago, are"
                  + " refused with 4xx; a message that was taken is taken again under the same id;"
                  + " each answer comes within the timeout of an attempt; the largest message, of"
                  + " 256 KB, is taken. Without a signing secret nothing is said about signatures."
                  + " If the first message is not taken, the others are not sent. The requests are"
                  + " no deliveries: nothing of them is stored or counted, the filter does not"
                  + " matter, and a suspended subscription is checked as well. They have the header"
                  + " Reprise-Test: true and the attribute reprise-test, by which a receiver can"
                  + " leave them without effect. The answer may take a minute.")
          .path(PathParameters.SUBSCRIPTION)
          .optionalBody(SharedSchemas.NOTHING)
          .answers(200, "The findings.", Schema.of(ReceiverCheckDocument.class))
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  public static final Description LIST_MINUTES =
      Description.of("listMinutes", TAG, "Figures of a subscription over time, oldest first")
          .text(
              "One item for each minute in which an attempt ended or the endpoint had asked"
                  + " for silence; minutes without either are left out. The present minute is"
                  + " included. Kept for seven days, for a shorter time where that is too much."
                  + " They are figures, not accounting: a crash loses those of the minute that it"
                  + " comes in. The ledger is exact.")
          .path(PathParameters.SUBSCRIPTION)
          .query(
              "from",
              Schema.ANY_TIME,
              "Spans that begin at this time or later; rounded down to a step. Default: an"
                  + " hour before the end.")
          .query("to", Schema.ANY_TIME, "Minutes that begin before this time. Default: now.")
          .query(
              "step",
              Schema.oneOf("1m", "5m", "1h").with("default", "1m"),
              "The span of an item; minutes of one span are added up.")
          .parts()
          .answers(
              200,
              "A part of the list. It may have fewer items than the limit, or none, and still"
                  + " go on.",
              Schema.seenPage("Minutes", MinuteDocument.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description SUSPEND =
      Description.of(
              "suspend", TAG, "Suspend a subscription: hold what is pending and what is published")
          .text(
              "Survives restarts. One that is suspended already takes these bounds. What is"
                  + " held beyond them is given up, what is due first at the front, and kept as a"
                  + " dead letter with the reason SUSPENDED unless the subscription discards.")
          .path(PathParameters.SUBSCRIPTION)
          .optionalBody(SUSPEND_BODY)
          .answers(200, "The subscription, suspended.", Schema.of(SubscriptionDetails.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description RELEASE =
      Description.of("release", TAG, "Release a subscription that is suspended")
          .text(
              "The backlog drains at the pace that the endpoint bears, and what is published"
                  + " meanwhile has a share.")
          .path(PathParameters.SUBSCRIPTION)
          .optionalBody(SharedSchemas.NOTHING)
          .answers(
              200,
              "The subscription, released. It stays as it is if it was not suspended.",
              Schema.of(SubscriptionDetails.class))
          .refuses(Refusal.NOT_FOUND);

  public static final Description SEND_TEST_MESSAGE =
      Description.of("sendTestMessage", TAG, "Send a test message to one subscription")
          .text(
              "A JSON object with test: true, and the attribute reprise-test. Whatever the"
                  + " filter says.")
          .path(PathParameters.SUBSCRIPTION)
          .optionalBody(SharedSchemas.NOTHING)
          .answers(202, "Accepted: it is delivered as any other message.", SharedSchemas.PUBLISHED)
          .refuses(Refusal.NOT_FOUND, Refusal.CONFLICT);

  private SubscriptionDescriptions() {}
}
