package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.AttemptOutcome;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Takes out of an answer the values of headers that the request had: some receivers answer with all
 * that they were sent, logins included.
 */
final class EchoedSecrets {
  private static final String REPLACEMENT = "[hidden]";
  private static final String BASIC = "Basic ";

  /** Shorter texts stand in an answer by chance. */
  private static final int MIN_CHARS = 3;

  private EchoedSecrets() {}

  static AttemptOutcome removed(AttemptOutcome outcome, List<Map.Entry<String, String>> sent) {
    if (outcome.response().length == 0 || sent.isEmpty()) {
      return outcome;
    }
    String text = new String(outcome.response(), ISO_8859_1);
    for (String value : values(sent)) {
      text = text.replace(new String(value.getBytes(UTF_8), ISO_8859_1), REPLACEMENT);
    }
    byte[] response = text.getBytes(ISO_8859_1);
    return new AttemptOutcome(
        outcome.failure(),
        outcome.status(),
        outcome.summary(),
        outcome.address(),
        response.length <= AttemptOutcome.MAX_RESPONSE_BYTES
            ? response
            : text.substring(0, AttemptOutcome.MAX_RESPONSE_BYTES).getBytes(ISO_8859_1),
        outcome.durationNanos(),
        outcome.made(),
        outcome.block(),
        outcome.receiptIds());
  }

  /** The longest first, so that none is left as the rest of another. */
  private static List<String> values(List<Map.Entry<String, String>> sent) {
    List<String> values = new ArrayList<>();
    for (Map.Entry<String, String> header : sent) {
      String value = header.getValue();
      values.add(value);
      values.add(value.substring(value.indexOf(' ') + 1));
      if (value.startsWith(BASIC)) {
        String login = decoded(value.substring(BASIC.length()));
        values.add(login);
        values.add(login.substring(login.indexOf(':') + 1));
      }
    }
    values.removeIf(value -> value.length() < MIN_CHARS);
    values.sort(Comparator.comparing(String::length).reversed());
    return values;
  }

  private static String decoded(String base64) {
    try {
      return new String(Base64.getDecoder().decode(base64), UTF_8);
    } catch (IllegalArgumentException e) {
      // A header of the subscription's own may say anything.
      return "";
    }
  }
}
