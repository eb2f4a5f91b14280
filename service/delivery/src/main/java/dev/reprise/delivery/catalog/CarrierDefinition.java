package dev.reprise.delivery.catalog;

import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * A carrier as the operator has set it up.
 *
 * @param name 1 to 64 letters, digits and {@code - _ .}; never changes
 * @param type the name of its kind, such as {@code smpp}; never changes
 * @param maxInFlight the most attempts at the same time, from 1
 * @param maxPerSecond the most attempts a second, as an average over any ten seconds; 0 for no
 *     limit
 * @param settings what the kind asks for: an object, whose secrets are encrypted
 * @param createdAtMillis when it was created, wall time
 */
public record CarrierDefinition(
    String name,
    String type,
    int maxInFlight,
    long maxPerSecond,
    JsonNode settings,
    long createdAtMillis) {
  /** The largest {@link #maxInFlight}. */
  public static final int MAX_IN_FLIGHT = 10_000;

  /** The largest {@link #maxPerSecond}. */
  public static final int MAX_PER_SECOND = 1_000_000;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  /**
   * Returns {@code name} if it can name a carrier.
   *
   * @throws InvalidRequestException if it cannot
   */
  public static String checkName(String name) {
    if (!NAME.matcher(name).matches() || name.equals(".") || name.equals("..")) {
      throw new InvalidRequestException("name", name, "must be 1 to 64 letters, digits and - _ .");
    }
    return name;
  }

  /** The same carrier with other settings. */
  public CarrierDefinition withSettings(JsonNode newSettings) {
    return new CarrierDefinition(
        name, type, maxInFlight, maxPerSecond, newSettings, createdAtMillis);
  }
}
