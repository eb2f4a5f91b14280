package dev.reprise.endpoints.sms;

import dev.reprise.policy.document.Codec;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Command statuses as a setting: a text such as {@code 0x401, 0x40B}.
 *
 * @param codes not 0
 */
record StatusCodes(Set<Integer> codes) {
  static final StatusCodes NONE = new StatusCodes(Set.of());

  private static final int MAX_CODES = 32;
  private static final String RULE =
      "must be at most "
          + MAX_CODES
          + " statuses in hexadecimal with commas between, such as 0x401, 0x40B";
  private static final Pattern CODE = Pattern.compile("0[xX](?!0+$)([0-9A-Fa-f]{1,8})");
  private static final Pattern BETWEEN = Pattern.compile("\\s*,\\s*");

  static final Codec<StatusCodes> CODEC =
      new Codec<>(
          "statuses",
          RULE,
          (checks, path, value) -> {
            StatusCodes read = value.isString() ? read(value.stringValue()) : null;
            return read == null ? Codec.refuse(checks, path, value, RULE) : read;
          },
          codes -> JsonNodeFactory.instance.stringNode(codes.toString()),
          JsonNodeFactory.instance.objectNode().put("type", "string"));

  /** Makes a copy. */
  StatusCodes {
    codes = Set.copyOf(codes);
  }

  private static @Nullable StatusCodes read(String text) {
    if (text.isBlank()) {
      return NONE;
    }
    Set<Integer> codes = new LinkedHashSet<>();
    for (String each : BETWEEN.split(text.strip(), -1)) {
      var matcher = CODE.matcher(each);
      if (!matcher.matches() || codes.size() == MAX_CODES) {
        return null;
      }
      codes.add(Integer.parseUnsignedInt(matcher.group(1), 16));
    }
    return new StatusCodes(codes);
  }

  boolean has(int status) {
    return codes.contains(status);
  }

  /** Returns them in the form that is read, the lowest first. */
  @Override
  public String toString() {
    return codes.stream()
        .sorted(Integer::compareUnsigned)
        .map(code -> String.format(Locale.ROOT, "0x%X", code))
        .collect(Collectors.joining(", "));
  }
}
