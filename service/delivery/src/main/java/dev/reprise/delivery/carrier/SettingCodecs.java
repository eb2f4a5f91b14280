package dev.reprise.delivery.carrier;

import dev.reprise.common.pem.Certificates;
import dev.reprise.policy.document.Codec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The kinds of value that settings of carriers have beside those of {@link Codec}. */
public final class SettingCodecs {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int MAX_ADDRESSES = 16;
  private static final Pattern ADDRESS =
      Pattern.compile("([A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+])(?::([0-9]{1,5}))?");

  private static final int MAX_PEM_CHARS = 65_536;

  /** Certificates as PEM, such as those of authorities to trust. */
  public static final Codec<String> CERTIFICATES =
      text(
          "must be one or more certificates as PEM, of at most " + MAX_PEM_CHARS + " characters",
          text -> text.length() <= MAX_PEM_CHARS && Certificates.areIn(text));

  private SettingCodecs() {}

  /**
   * A host and a port.
   *
   * @param host a name or an address; IPv6 without brackets
   * @param port from 1 to 65535
   */
  public record Address(String host, int port) {
    @Override
    public String toString() {
      return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
  }

  /** Returns the texts that fit. */
  public static Codec<String> text(String rule, Predicate<String> fits) {
    return new Codec<>(
        "text",
        rule,
        (checks, path, value) -> {
          String text = value.isString() ? value.stringValue() : null;
          return text != null && fits.test(text) ? text : Codec.refuse(checks, path, value, rule);
        },
        JSON::stringNode,
        JSON.objectNode().put("type", "string"));
  }

  /** Returns the texts of a length; both bounds are allowed. Control characters are refused. */
  public static Codec<String> text(int shortest, int longest) {
    return text(
        "must be a text of " + shortest + " to " + longest + " characters",
        text ->
            text.length() >= shortest
                && text.length() <= longest
                && text.chars().noneMatch(Character::isISOControl));
  }

  /** Returns the constants of an enum under the names that documents use. */
  public static <V extends Enum<V>> Codec<V> oneOf(V[] constants, Function<V, String> wireName) {
    List<String> names = new ArrayList<>();
    for (V constant : constants) {
      names.add(wireName.apply(constant));
    }
    return Codec.oneOf("must be one of " + String.join(", ", names), constants, wireName);
  }

  /**
   * Returns lists of addresses such as {@code ["smsc.example.com:2775"]}, which a single text may
   * stand for; at least one, and {@value #MAX_ADDRESSES} at the most.
   *
   * @param defaultPort the port of an address that names none
   */
  public static Codec<List<Address>> addresses(int defaultPort) {
    String rule =
        "must be 1 to "
            + MAX_ADDRESSES
            + " addresses of the form host:port or host (port "
            + defaultPort
            + ")";
    return new Codec<>(
        "addresses",
        rule,
        (checks, path, value) -> {
          List<Address> addresses = readAddresses(value, defaultPort);
          return addresses == null ? Codec.refuse(checks, path, value, rule) : addresses;
        },
        SettingCodecs::writeAddresses,
        JSON.objectNode()
            .put("type", "array")
            .put("minItems", 1)
            .put("maxItems", MAX_ADDRESSES)
            .set("items", JSON.objectNode().put("type", "string")));
  }

  private static @Nullable List<Address> readAddresses(JsonNode value, int defaultPort) {
    List<JsonNode> items = value.isArray() ? List.copyOf(value.values()) : List.of(value);
    if (items.isEmpty() || items.size() > MAX_ADDRESSES) {
      return null;
    }
    List<Address> addresses = new ArrayList<>();
    for (JsonNode item : items) {
      Matcher matcher = ADDRESS.matcher(item.isString() ? item.stringValue() : "");
      if (!matcher.matches()) {
        return null;
      }
      String host = matcher.group(1);
      String given = matcher.group(2);
      int port = given == null ? defaultPort : Integer.parseInt(given);
      if (port < 1 || port > 65535) {
        return null;
      }
      boolean bracketed = host.startsWith("[");
      addresses.add(new Address(bracketed ? host.substring(1, host.length() - 1) : host, port));
    }
    return List.copyOf(addresses);
  }

  private static JsonNode writeAddresses(List<Address> addresses) {
    ArrayNode written = JSON.arrayNode();
    addresses.forEach(address -> written.add(address.toString()));
    return written;
  }
}
