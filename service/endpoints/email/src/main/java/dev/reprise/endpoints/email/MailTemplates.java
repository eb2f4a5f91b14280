package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.MessageId;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The settings with places in braces that each message fills in. */
final class MailTemplates {
  static final String UNSUBSCRIBE_RULE =
      "must be a URL with https of at most 500 characters, in which only {subscription} and"
          + " {message} are filled in";

  static final String RETURN_PATH_RULE =
      "must be a mailbox such as bounces@example.com or bounces+{id}@example.com, in front of the @"
          + " at most 64 characters when 41 stand for {id}";

  private static final int MAX_URL = 500;
  private static final String EXAMPLE_ID = "0".repeat(32) + "-" + "0".repeat(8);

  private MailTemplates() {}

  static boolean isUnsubscribe(String template) {
    if (template.length() > MAX_URL) {
      return false;
    }
    try {
      URI uri = new URI(unsubscribe(template, "s-1", "m"));
      return "https".equals(uri.getScheme())
          && uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.toString().equals(uri.toASCIIString());
    } catch (URISyntaxException notOne) {
      return false;
    }
  }

  static boolean isReturnPath(String template) {
    return MailboxAddress.ascii(template.replace("{id}", EXAMPLE_ID)) != null;
  }

  /** Fills in the URL that ends a subscription. */
  static String unsubscribe(String template, String subscription, String message) {
    return template
        .replace("{subscription}", URLEncoder.encode(subscription, UTF_8).replace("+", "%20"))
        .replace("{message}", message);
  }

  /** Fills in the subject of a message that has none. */
  static String subject(String template, String topic) {
    return template.replace("{topic}", topic);
  }

  /**
   * Fills in where bounces go: the id has the message's 32 hexadecimal digits, a hyphen and 8 of a
   * hash of the subscription, whose own name may be longer than a mailbox may be.
   */
  static String returnPath(String template, MessageId message, String subscription) {
    String filled = template;
    if (template.contains("{id}")) {
      String id = message.toString().replace("-", "") + "-" + hash(subscription);
      filled = template.replace("{id}", id);
    }
    String ascii = MailboxAddress.ascii(filled);
    if (ascii == null) {
      throw new IllegalArgumentException("returnPath is " + template + ": " + RETURN_PATH_RULE);
    }
    return ascii;
  }

  private static String hash(String subscription) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(subscription.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
