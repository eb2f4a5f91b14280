package dev.reprise.endpoints.kafka;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.policy.document.ObjectType;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Topics of a Kafka cluster. Thread-safe. */
public final class KafkaCarrierType implements CarrierType<KafkaSettings> {
  private static final int DEFAULT_PORT = 9092;
  private static final int MAX_NAME_CHARS = 256;

  /** The rule of Kafka's {@code Topic.validate}. */
  private static final Pattern TOPIC = Pattern.compile("(?!\\.{1,2}\\z)[A-Za-z0-9._-]{1,249}");

  private static final ObjectType<KafkaSettings> SETTINGS = describe();

  /** The type, which has no state. */
  public KafkaCarrierType() {}

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.QUEUE);
  }

  @Override
  public ObjectType<KafkaSettings> settings() {
    return SETTINGS;
  }

  @Override
  public int defaultInFlight() {
    return 1_000;
  }

  @Override
  public @Nullable String endpointProblem(Protocol protocol, String endpoint) {
    return TOPIC.matcher(endpoint).matches()
        ? null
        : "must be the name of a topic: 1 to 249 of letters, digits, '.', '_' and '-', but not '.'"
            + " or '..'";
  }

  @Override
  public Carrier open(KafkaSettings settings, CarrierContext context) {
    return new KafkaCarrier(settings, context);
  }

  private static ObjectType<KafkaSettings> describe() {
    var type = ObjectType.of(KafkaSettings.class, "A Kafka cluster.");
    var addresses =
        type.required(
            "addresses",
            SettingCodecs.addresses(DEFAULT_PORT),
            KafkaSettings::addresses,
            "Some of the brokers, which tell of the others.");
    var security =
        type.optional(
            "security",
            SettingCodecs.oneOf(KafkaSettings.Security.values(), KafkaSettings.Security::wireName),
            KafkaSettings.Security.NONE,
            KafkaSettings::security,
            "How connections are encrypted and logged in.");
    var mechanism =
        type.optional(
            "mechanism",
            SettingCodecs.oneOf(
                KafkaSettings.Mechanism.values(), KafkaSettings.Mechanism::registeredName),
            KafkaSettings.Mechanism.PLAIN,
            KafkaSettings::mechanism,
            "How the password is proved.");
    var username =
        type.derived(
            "username",
            SettingCodecs.text(1, MAX_NAME_CHARS),
            KafkaSettings::username,
            "The user of the login.");
    var password =
        type.derived("password", Secret.CODEC, KafkaSettings::password, "Goes with the username.");
    var authority =
        type.derived(
            "authority",
            SettingCodecs.CERTIFICATES,
            KafkaSettings::authority,
            "Certificates that the brokers' are trusted by, as PEM, in place of those of the JVM.");
    var keyAttribute =
        type.derived(
            "keyAttribute",
            SettingCodecs.text(1, MAX_NAME_CHARS),
            KafkaSettings::keyAttribute,
            "The attribute whose value is the key of the record; without it, and for messages that"
                + " do not have it, the message's id, so that a repetition goes to the same"
                + " partition.");
    var compression =
        type.optional(
            "compression",
            SettingCodecs.oneOf(
                KafkaSettings.Compression.values(), KafkaSettings.Compression::wireName),
            KafkaSettings.Compression.NONE,
            KafkaSettings::compression,
            "How batches are compressed.");
    return type.makes(
        values ->
            new KafkaSettings(
                values.get(addresses),
                values.get(security),
                values.get(mechanism),
                values.find(username),
                values.find(password),
                values.find(authority),
                values.find(keyAttribute),
                values.get(compression)));
  }
}
