package dev.reprise.delivery.catalog;

import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.CarrierTypes;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Violation;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Carriers as JSON: in requests, and as the settings of their kind. */
public final class CarrierDocuments {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String NAME = "name";
  private static final String TYPE = "type";
  private static final String MAX_IN_FLIGHT = "maxInFlight";
  private static final String MAX_PER_SECOND = "maxPerSecond";
  private static final String SETTINGS = "settings";
  private static final List<String> FIELDS =
      List.of(NAME, TYPE, MAX_IN_FLIGHT, MAX_PER_SECOND, SETTINGS);

  private CarrierDocuments() {}

  /**
   * Reads a carrier from a request.
   *
   * @param document the object; of {@code settings} a field that is absent keeps what {@code base}
   *     says, one that is null is removed
   * @param base the carrier before; null for a new one
   * @throws InvalidRequestException with every rule that is broken
   */
  public static CarrierDefinition read(
      JsonNode document,
      @Nullable CarrierDefinition base,
      CarrierTypes types,
      SecretKeys keys,
      long nowMillis) {
    if (!document.isObject()) {
      throw new InvalidRequestException("carrier", document.toString(), "must be an object");
    }
    Checks checks = new Checks();
    checks.rejectUnknown("", document, FIELDS);
    CarrierType<?> type = type(document, base, types);
    String name = base == null ? CarrierDefinition.checkName(text(document, NAME)) : base.name();
    if (base != null && document.has(NAME) && !text(document, NAME).equals(name)) {
      throw new InvalidRequestException(NAME, text(document, NAME), "must stay " + name);
    }
    ObjectNode settings = settings(checks, document, base, type, types, keys);
    int inFlight = base == null ? type.defaultInFlight() : base.maxInFlight();
    long perSecond = base == null ? 0 : base.maxPerSecond();
    CarrierDefinition read =
        new CarrierDefinition(
            name,
            type.name(),
            number(checks, document, MAX_IN_FLIGHT, 1, CarrierDefinition.MAX_IN_FLIGHT, inFlight),
            number(
                checks, document, MAX_PER_SECOND, 0, CarrierDefinition.MAX_PER_SECOND, perSecond),
            settings,
            base == null ? nowMillis : base.createdAtMillis());
    if (checks.count() > 0) {
      throw new InvalidRequestException(checks.violations());
    }
    return read;
  }

  private static CarrierType<?> type(
      JsonNode document, @Nullable CarrierDefinition base, CarrierTypes types) {
    String name = base != null && !document.has(TYPE) ? base.type() : text(document, TYPE);
    CarrierType<?> type = types.find(name);
    if (type == null) {
      throw new InvalidRequestException(
          TYPE,
          name.isEmpty() ? "absent" : name,
          "must be one of " + String.join(", ", types.names()));
    }
    if (base != null && !base.type().equals(name)) {
      throw new InvalidRequestException(
          TYPE, name, "must stay " + base.type() + ": make another carrier");
    }
    return type;
  }

  private static ObjectNode settings(
      Checks checks,
      JsonNode document,
      @Nullable CarrierDefinition base,
      CarrierType<?> type,
      CarrierTypes types,
      SecretKeys keys) {
    ObjectNode settings =
        base != null && base.settings().deepCopy() instanceof ObjectNode before
            ? before
            : JSON.objectNode();
    JsonNode asked = document.path(SETTINGS);
    if (!asked.isObject() && !asked.isMissingNode()) {
      checks.add(new Violation(SETTINGS, "not shown", "must be an object"));
      return settings;
    }
    List<String> secrets = types.secretsOf(type.name());
    List<String> names = type.settings().names();
    ObjectNode change = JSON.objectNode();
    JsonNode described = type.settings().schema().path("properties");
    for (Map.Entry<String, JsonNode> field : asked.properties()) {
      boolean isText =
          described.path(field.getKey()).path("type").asString("").equals("string")
              && !secrets.contains(field.getKey());
      change.set(field.getKey(), isText ? asText(field.getValue()) : field.getValue());
    }
    SecretFields.seal(checks, SETTINGS, change, secrets, Catalog.CARRIER_OWNER, keys);
    for (Map.Entry<String, JsonNode> field : change.properties()) {
      if (!names.contains(field.getKey())) {
        // It may be a secret under a wrong name, so it is not quoted.
        checks.add(
            new Violation(
                Checks.join(SETTINGS, field.getKey()),
                "not shown",
                "is not a setting of "
                    + type.name()
                    + "; settings are "
                    + String.join(", ", names)));
      } else if (field.getValue().isNull()) {
        settings.remove(field.getKey());
      } else {
        settings.set(field.getKey(), field.getValue());
      }
    }
    if (base != null && moves(base.settings(), settings)) {
      for (String secret : secrets) {
        if (settings.has(secret) && settings.get(secret).equals(base.settings().get(secret))) {
          checks.add(
              new Violation(
                  Checks.join(SETTINGS, secret),
                  "not shown",
                  "must be given again, as the carrier goes to another address: secrets do not"
                      + " follow"));
        }
      }
    }
    if (checks.count() == 0) {
      check(checks, settings, type, secrets, keys);
    }
    return settings;
  }

  /** Judges what the carrier will be opened with. */
  private static void check(
      Checks checks,
      ObjectNode settings,
      CarrierType<?> type,
      List<String> secrets,
      SecretKeys keys) {
    ObjectNode clear;
    try {
      clear = SecretFields.open(settings.deepCopy(), secrets, Catalog.CARRIER_OWNER, keys);
    } catch (SecretKeys.UnreadableSecretException e) {
      checks.add(
          new Violation(
              SETTINGS, "not shown", "have a secret that must be given again: " + e.getMessage()));
      return;
    }
    type.settings().read(checks, SETTINGS, clear);
  }

  /** A text of digits comes as a number from a client that does not know the setting's type. */
  private static JsonNode asText(JsonNode value) {
    return value.isIntegralNumber() ? JSON.stringNode(value.asString()) : value;
  }

  /** Whether secrets would be sent to another place than before. */
  private static boolean moves(JsonNode before, ObjectNode after) {
    return Stream.concat(before.propertyNames().stream(), after.propertyNames().stream())
        .filter(name -> name.equals("addresses") || name.endsWith("Url"))
        .anyMatch(name -> !before.path(name).equals(after.path(name)));
  }

  /** Returns the carrier as the API shows it: without secrets. */
  public static ObjectNode write(CarrierDefinition carrier, CarrierTypes types) {
    ObjectNode written = JSON.objectNode();
    written.put(NAME, carrier.name()).put(TYPE, carrier.type());
    written.put(MAX_IN_FLIGHT, carrier.maxInFlight());
    if (carrier.maxPerSecond() > 0) {
      written.put(MAX_PER_SECOND, carrier.maxPerSecond());
    }
    ObjectNode settings =
        carrier.settings().deepCopy() instanceof ObjectNode object ? object : JSON.objectNode();
    // Also what an unknown kind has encrypted is never shown.
    List<String> sealed =
        settings.propertyNames().stream()
            .filter(name -> SealedSecret.isSealed(settings.path(name)))
            .toList();
    written.set(SETTINGS, SecretFields.hide(settings, sealed));
    return written;
  }

  /**
   * Starts a carrier.
   *
   * @throws SecretKeys.UnreadableSecretException if the keys do not decrypt its secrets
   * @throws InvalidRequestException if this program cannot read its settings
   */
  public static <S> Carrier open(
      CarrierType<S> type, CarrierDefinition carrier, SecretKeys keys, CarrierContext context) {
    ObjectNode settings =
        carrier.settings().deepCopy() instanceof ObjectNode object ? object : JSON.objectNode();
    List<String> secrets =
        settings.propertyNames().stream()
            .filter(name -> SealedSecret.isSealed(settings.path(name)))
            .toList();
    SecretFields.open(settings, secrets, Catalog.CARRIER_OWNER, keys);
    Checks checks = new Checks();
    S read = type.settings().read(checks, SETTINGS, settings);
    if (read == null) {
      throw new InvalidRequestException(checks.violations());
    }
    return type.open(read, context);
  }

  private static String text(JsonNode document, String field) {
    JsonNode value = document.path(field);
    return value.isString() ? value.stringValue() : "";
  }

  private static int number(
      Checks checks, JsonNode document, String field, int lowest, int highest, long otherwise) {
    JsonNode value = document.get(field);
    if (value == null || value.isNull()) {
      return (int) otherwise;
    }
    Integer read =
        checks.whole(
            field, value, lowest, highest, "must be between " + lowest + " and " + highest);
    return read == null ? (int) otherwise : read;
  }
}
