package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.Secret;
import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.ObjectType;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Queues of brokers that speak AMQP 1.0 (OASIS, 2012; ISO/IEC 19464). Thread-safe. */
public final class AmqpCarrierType implements CarrierType<AmqpCarrierSettings> {
  private static final int DEFAULT_PORT = 5672;
  private static final int MAX_ADDRESS_CHARS = 512;
  private static final int MAX_NAME_CHARS = 256;
  private static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofMinutes(1);

  private static final ObjectType<AmqpCarrierSettings> SETTINGS = describe();

  /** The type, which has no state. */
  public AmqpCarrierType() {}

  @Override
  public String name() {
    return "amqp";
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.QUEUE);
  }

  @Override
  public ObjectType<AmqpCarrierSettings> settings() {
    return SETTINGS;
  }

  @Override
  public int defaultInFlight() {
    return 100;
  }

  @Override
  public @Nullable String endpointProblem(Protocol protocol, String endpoint) {
    boolean fits =
        !endpoint.isEmpty()
            && endpoint.length() <= MAX_ADDRESS_CHARS
            && endpoint.codePoints().noneMatch(AmqpCarrierType::isNotPrintable);
    return fits
        ? null
        : "must be an address of the broker of 1 to " + MAX_ADDRESS_CHARS + " printable characters";
  }

  @Override
  public Carrier open(AmqpCarrierSettings settings, CarrierContext context) {
    return new AmqpCarrier(settings, context);
  }

  private static boolean isNotPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          true;
      default -> false;
    };
  }

  private static ObjectType<AmqpCarrierSettings> describe() {
    var type = ObjectType.of(AmqpCarrierSettings.class, "A broker that speaks AMQP 1.0.");
    var addresses =
        type.required(
            "addresses",
            SettingCodecs.addresses(DEFAULT_PORT),
            AmqpCarrierSettings::addresses,
            "The broker's addresses, tried in this order.");
    var tls =
        type.optional(
            "tls",
            Codec.FLAG,
            false,
            AmqpCarrierSettings::tls,
            "Encrypts the connection; brokers then mostly listen on port 5671, which the address"
                + " has to say.");
    var authority =
        type.derived(
            "authority",
            SettingCodecs.CERTIFICATES,
            AmqpCarrierSettings::authority,
            "Certificates that the broker's is trusted by, as PEM, in place of those of the JVM.");
    var username =
        type.derived(
            "username",
            SettingCodecs.text(1, MAX_NAME_CHARS),
            AmqpCarrierSettings::username,
            "Logs in by SASL PLAIN under this name; without it by ANONYMOUS.");
    var password =
        type.derived(
            "password", Secret.CODEC, AmqpCarrierSettings::password, "Goes with the username.");
    var idleTimeout =
        type.optional(
            "idleTimeout",
            Codec.TIME,
            DEFAULT_IDLE_TIMEOUT,
            AmqpCarrierSettings::idleTimeout,
            "How long the broker may be silent, heartbeats included, before the connection counts"
                + " as lost; 1s to 1h.");
    var durable =
        type.optional(
            "durable",
            Codec.FLAG,
            true,
            AmqpCarrierSettings::durable,
            "Asks the broker to keep each message over its own end.");
    return type.makes(
        values ->
            new AmqpCarrierSettings(
                values.get(addresses),
                values.get(tls),
                values.find(authority),
                values.find(username),
                values.find(password),
                values.get(idleTimeout),
                values.get(durable)));
  }
}
