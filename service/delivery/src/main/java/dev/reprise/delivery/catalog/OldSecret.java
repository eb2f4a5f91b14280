package dev.reprise.delivery.catalog;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A secret that signs besides the current one until a time. Those of a subscription are in one
 * field: a single one as it is, with its end in a field of its own; of several, each with its end
 * behind it in milliseconds of wall time, newest first.
 *
 * @param secret as text, such as {@code whsec_…}
 * @param untilMillis when it ends, wall time
 */
public record OldSecret(String secret, long untilMillis) {
  /** The most of them that a subscription may have at a time. */
  public static final int MAX_OLD_SECRETS = 4;

  private static final char END = '@';

  /**
   * Reads what is stored.
   *
   * @param until when a single one ends; null for at once
   * @throws IllegalArgumentException if an end is no time
   */
  public static List<OldSecret> read(String text, @Nullable Instant until) {
    List<OldSecret> all = new ArrayList<>();
    for (String each : text.split(" ", -1)) {
      int end = each.indexOf(END);
      all.add(
          end < 0
              ? new OldSecret(each, until == null ? 0 : until.toEpochMilli())
              : new OldSecret(each.substring(0, end), Long.parseLong(each.substring(end + 1))));
    }
    return all;
  }

  static String write(List<OldSecret> secrets) {
    if (secrets.size() == 1) {
      return secrets.get(0).secret();
    }
    return String.join(
        " ", secrets.stream().map(each -> each.secret() + END + each.untilMillis()).toList());
  }

  /** Does not show the secret. */
  @Override
  public String toString() {
    return "a secret until " + Instant.ofEpochMilli(untilMillis);
  }
}
