package dev.reprise.endpoints.email;

import dev.reprise.policy.document.Codec;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A mailbox with the name that is shown for it.
 *
 * @param text as it was written
 * @param address the address, in ASCII
 * @param name empty for none
 */
record MailSender(String text, String address, String name) {
  private static final String RULE =
      "must be a mailbox such as orders@example.com, or Orders <orders@example.com>";

  private static final int MAX_LENGTH = 512;

  static final Codec<MailSender> CODEC =
      new Codec<>(
          "mailbox",
          RULE,
          (checks, path, value) -> {
            MailSender sender = value.isString() ? of(value.stringValue()) : null;
            return sender == null ? Codec.refuse(checks, path, value, RULE) : sender;
          },
          sender -> JsonNodeFactory.instance.stringNode(sender.text),
          JsonNodeFactory.instance.objectNode().put("type", "string").put("maxLength", MAX_LENGTH));

  /** Reads {@code address} or {@code name <address>}; null for a text that is neither. */
  static @Nullable MailSender of(String text) {
    if (text.length() > MAX_LENGTH || text.chars().anyMatch(Character::isISOControl)) {
      return null;
    }
    String trimmed = text.strip();
    int open = trimmed.lastIndexOf('<');
    boolean named = open >= 0 && trimmed.endsWith(">");
    String address =
        MailboxAddress.ascii(named ? trimmed.substring(open + 1, trimmed.length() - 1) : trimmed);
    return address == null
        ? null
        : new MailSender(text, address, named ? unquoted(trimmed.substring(0, open).strip()) : "");
  }

  private static String unquoted(String name) {
    boolean quoted = name.length() >= 2 && name.startsWith("\"") && name.endsWith("\"");
    return quoted ? name.substring(1, name.length() - 1).replaceAll("\\\\(.)", "$1") : name;
  }

  /** Returns the domain of the address. */
  String domain() {
    return MailboxAddress.domain(address).toLowerCase(Locale.ROOT);
  }
}
