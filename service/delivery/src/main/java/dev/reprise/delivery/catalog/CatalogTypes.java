package dev.reprise.delivery.catalog;

import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.ObjectType;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The objects of JSON that topics, subscriptions and their settings are, field by field. */
final class CatalogTypes {
  /** The settings of a subscription as requests may have them. */
  static final ObjectType<SubscriptionSettings> REQUESTED_SETTINGS =
      settings(
          CatalogCodecs.policy(PolicyDocuments::readSubscription),
          CatalogCodecs.filter(AttributeFilter::of),
          CatalogCodecs.duration(
              "duration, 1s to ten years",
              "must be a duration from 1s to ten years, such as 1h or P3D",
              lifetime ->
                  lifetime.compareTo(Duration.ofSeconds(1)) >= 0
                      && lifetime.compareTo(Duration.ofDays(3650)) <= 0),
          CatalogCodecs.integer(
              1,
              SubscriptionSettings.MAX_IN_FLIGHT,
              "must be an integer from 1 to " + SubscriptionSettings.MAX_IN_FLIGHT),
          CatalogCodecs.integer(
              1,
              SubscriptionSettings.MAX_SHARDS,
              "must be an integer from 1 to " + SubscriptionSettings.MAX_SHARDS),
          HttpSettingsType.REQUESTED,
          /* stored= */ false);

  /** The settings as they are stored: what was accepted once is not judged by today's ranges. */
  static final ObjectType<SubscriptionSettings> STORED_SETTINGS =
      settings(
          CatalogCodecs.policy(PolicyDocuments::readStored),
          CatalogCodecs.filter(AttributeFilter::stored),
          CatalogCodecs.duration("duration", "must be a duration", lifetime -> true),
          CatalogCodecs.integer(Integer.MIN_VALUE, Integer.MAX_VALUE, "must be an integer"),
          CatalogCodecs.integer(1, Integer.MAX_VALUE, "must be a positive integer"),
          HttpSettingsType.STORED,
          /* stored= */ true);

  /** The rules by which a stored subscription's host names were given. */
  private static final String UTS_46 = "uts46";

  private static final Codec<String> TEXT = CatalogCodecs.text("must be a text");

  /** The topics as they are stored. */
  static final ObjectType<Topic> STORED_TOPIC = topic();

  /** The carriers as they are stored. */
  static final ObjectType<CarrierDefinition> STORED_CARRIER = carrier();

  /** The subscriptions as they are stored. */
  static final ObjectType<Subscription> STORED_SUBSCRIPTION = subscription();

  private CatalogTypes() {}

  private static ObjectType<SubscriptionSettings> settings(
      Codec<NotificationPolicy> policies,
      Codec<AttributeFilter> filters,
      Codec<Duration> lifetimes,
      Codec<Integer> attempts,
      Codec<Integer> spreads,
      ObjectType<HttpEndpointSettings> https,
      boolean stored) {
    SubscriptionSettings standard = SubscriptionSettings.of("");
    Codec<String> place = CatalogCodecs.text("must be a text");
    // Of the rules of endpoints, which the API checks, the only one that a schema can tell.
    place.schema().put("maxLength", EndpointUrl.MAX_LENGTH);
    var type = ObjectType.of(SubscriptionSettings.class, "");
    var protocol =
        type.optional(
            "protocol",
            CatalogCodecs.oneOf(Protocol.values(), Protocol::wireName),
            standard.protocol(),
            SubscriptionSettings::protocol,
            "The kind of endpoint, which stays as it is. Where no policy says otherwise, the preset"
                + " notification-PROTOCOL holds.");
    var endpoint =
        type.required(
            "endpoint",
            place,
            SubscriptionSettings::endpoint,
            "http: the URL that is posted to, http or https, without user or password; its host"
                + " must have a public address unless the operator allows others. sms: a phone"
                + " number such as +4915112345678. email: a mailbox. queue: the name of a queue or"
                + " topic, as its carrier has it. function: a URL that takes CloudEvents, a"
                + " function of the carrier's account, or without a carrier one in the service's"
                + " own process.");
    var carrier =
        type.derived(
            "carrier",
            CatalogCodecs.text("must be the name of a carrier"),
            SubscriptionSettings::carrier,
            "The name of the carrier that reaches the endpoint. Must be given for sms, email and"
                + " queue; for http it may name a forward proxy.");
    var format =
        type.derived(
            "format",
            CatalogCodecs.oneOf(BodyFormat.values(), BodyFormat::wireName),
            SubscriptionSettings::format,
            "envelope: a JSON object with the message's id, topic, time, attributes and body (the"
                + " default, but for functions). raw: the body as it was published. cloudevents: a"
                + " CloudEvent in binary mode. cloudevents-structured: a CloudEvent as one JSON"
                + " object (the default for functions). SMS and email have no format.");
    var policy =
        type.derived(
            "policy",
            policies,
            SubscriptionSettings::policy,
            "The subscription's own delivery policy, or the name of a preset. Replaces the topic's"
                + " unless the topic sets disableSubscriptionOverrides.");
    var filter =
        type.derived(
            "filter",
            filters,
            settings -> settings.filter().isAll() ? null : settings.filter(),
            "Which messages it wants, by their attributes. All fields must hold, of each field one"
                + " condition: a value, or an object with prefix, suffix, anything-but, exists or"
                + " numeric. At most 150 conditions; each value of an anything-but and each"
                + " comparison of a numeric is one.");
    var deadLetters =
        type.optional(
            "deadLetters",
            CatalogCodecs.oneOf(DeadLetters.values(), DeadLetters::wireName),
            standard.deadLetters(),
            SubscriptionSettings::deadLetters,
            "What happens to a delivery that is given up.");
    var lifetime =
        type.derived(
            "lifetime",
            lifetimes,
            SubscriptionSettings::lifetime,
            "How long a delivery may take, all waiting included: 1s to ten years, such as 1h or"
                + " P3D. Absent: for ever.");
    var maxInFlight =
        type.optional(
            "maxInFlight",
            attempts,
            standard.maxInFlight(),
            SubscriptionSettings::maxInFlight,
            "The most attempts at the same time.");
    var http =
        type.derived(
            "http",
            HttpSettingsType.codec(https),
            settings -> settings.http().equals(HttpEndpointSettings.NONE) ? null : settings.http(),
            "Headers, login, TLS and signatures of an endpoint that is a URL. A change names the"
                + " fields that change.");
    var deadLetterTarget =
        type.derived(
            "deadLetterTarget",
            CatalogCodecs.text("must be the id of a subscription"),
            SubscriptionSettings::deadLetterTarget,
            "The id of another subscription of the same project, which gets what is given up: as"
                + " messages of its own, with the same body and attributes. Absent: they stay dead"
                + " letters of this one.");
    var startSuspended =
        type.optional(
            "startSuspended",
            Codec.FLAG,
            standard.startSuspended(),
            SubscriptionSettings::startSuspended,
            "Whether the subscription is suspended when it is created: it holds what is published,"
                + " and nothing is attempted until it is released. Has no effect later.");
    var suspendWhenGone =
        type.optional(
            "suspendWhenGone",
            Codec.FLAG,
            standard.suspendWhenGone(),
            SubscriptionSettings::suspendWhenGone,
            "Whether the status 410 of an endpoint suspends the subscription.");
    var shards =
        type.optional(
            "shards",
            spreads,
            standard.shards(),
            SubscriptionSettings::shards,
            "Over how many shards the deliveries are spread, for a subscription that gets more than"
                + " one shard can do: at most as many as there are, as maxInFlight and as the"
                + " throttle's maxReceivesPerSecond, which are divided among them. Is chosen when"
                + " the subscription is created, and stays.");
    var name =
        type.derived(
            "name",
            LabellingCodecs.text(Labelling.MAX_NAME, !stored),
            settings -> settings.labelling().name(),
            "A name for people, of 1 to 100 characters. Never a secret: name, labels and customer"
                + " are shown wherever the subscription is, and in operator events.");
    var labels =
        type.derived(
            "labels",
            LabellingCodecs.labels(!stored),
            settings ->
                settings.labelling().labels().isEmpty() ? null : settings.labelling().labels(),
            "Up to 20 texts of at most 255 characters, by which lists are filtered, such as"
                + " {\"team\": \"billing\"}. A key has 1 to 63 of the characters A-Z a-z 0-9 . _ -"
                + " /. A change replaces all of them. Never secrets.");
    var customer =
        type.derived(
            "customer",
            LabellingCodecs.text(Labelling.MAX_CUSTOMER, !stored),
            settings -> settings.labelling().customer(),
            "The id of the operator's customer whose endpoint it is, of 1 to 200 characters;"
                + " several subscriptions may have the same. Never a secret.");
    // Requests have no such field: an endpoint in a request is read by today's rules.
    var names =
        stored
            ? type.derived(
                "names",
                CatalogCodecs.text("must be a text"),
                settings ->
                    settings.namesByUts46() && NameChange.hasInternationalNames(settings)
                        ? UTS_46
                        : null,
                "")
            : null;
    return type.makes(
        values -> {
          AttributeFilter wanted = values.find(filter);
          BodyFormat form = values.find(format);
          HttpEndpointSettings asked = values.find(http);
          Map<String, String> pairs = values.find(labels);
          SubscriptionSettings made =
              new SubscriptionSettings(
                      values.get(protocol),
                      values.get(endpoint),
                      values.find(carrier),
                      form == null ? BodyFormat.defaultOf(values.get(protocol)) : form,
                      values.find(policy),
                      wanted == null ? AttributeFilter.ALL : wanted,
                      values.get(deadLetters),
                      values.find(lifetime),
                      values.get(maxInFlight),
                      asked == null ? HttpEndpointSettings.NONE : asked,
                      values.find(deadLetterTarget),
                      values.get(startSuspended),
                      values.get(suspendWhenGone),
                      values.get(shards))
                  .withLabelling(
                      new Labelling(
                          values.find(name),
                          pairs == null ? Map.of() : pairs,
                          values.find(customer)));
          return names == null || UTS_46.equals(values.find(names))
              ? made
              : made.withNamesByUts46(!NameChange.hasInternationalNames(made));
        });
  }

  private static ObjectType<Topic> topic() {
    var type = ObjectType.of(Topic.class, "");
    var project = type.derived("project", TEXT, topic -> stored(topic.project()), "");
    var name = type.required("name", TEXT, Topic::name, "");
    var createdAt = type.required("createdAt", CatalogCodecs.LONG, Topic::createdAtMillis, "");
    var policy =
        type.required(
            "policy",
            CatalogCodecs.stored(PolicyDocuments::readStored, PolicyDocuments::writeStored),
            Topic::policy,
            "");
    return type.makes(
        values ->
            new Topic(
                project(values.find(project)),
                values.get(name),
                values.get(policy),
                values.get(createdAt)));
  }

  private static ObjectType<Subscription> subscription() {
    var type = ObjectType.of(Subscription.class, "");
    var number = type.required("number", CatalogCodecs.LONG, Subscription::number, "");
    var project = type.derived("project", TEXT, each -> stored(each.project()), "");
    var topic = type.required("topic", TEXT, Subscription::topic, "");
    var createdAt =
        type.required("createdAt", CatalogCodecs.LONG, Subscription::createdAtMillis, "");
    var settings =
        type.required(
            "settings",
            CatalogCodecs.stored(CatalogDocuments::readStoredSettings, STORED_SETTINGS::write),
            Subscription::settings,
            "");
    return type.makes(
        values ->
            new Subscription(
                values.get(number),
                project(values.find(project)),
                values.get(topic),
                values.get(settings),
                values.get(createdAt)));
  }

  /** Returns the project as documents name it: they have none for the default one. */
  private static @Nullable String stored(String project) {
    return project.equals(Topic.DEFAULT_PROJECT) ? null : project;
  }

  private static String project(@Nullable String stored) {
    return stored == null ? Topic.DEFAULT_PROJECT : stored;
  }

  private static ObjectType<CarrierDefinition> carrier() {
    var type = ObjectType.of(CarrierDefinition.class, "");
    var name = type.required("name", TEXT, CarrierDefinition::name, "");
    var kind = type.required("type", TEXT, CarrierDefinition::type, "");
    var createdAt =
        type.required("createdAt", CatalogCodecs.LONG, CarrierDefinition::createdAtMillis, "");
    var maxInFlight =
        type.required("maxInFlight", CatalogCodecs.LONG, c -> (long) c.maxInFlight(), "");
    var maxPerSecond =
        type.required("maxPerSecond", CatalogCodecs.LONG, CarrierDefinition::maxPerSecond, "");
    var settings =
        type.required(
            "settings",
            CatalogCodecs.stored(value -> value, value -> value),
            CarrierDefinition::settings,
            "");
    return type.makes(
        values ->
            new CarrierDefinition(
                values.get(name),
                values.get(kind),
                values.get(maxInFlight).intValue(),
                values.get(maxPerSecond),
                values.get(settings),
                values.get(createdAt)));
  }
}
