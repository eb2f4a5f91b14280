package dev.reprise.server.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The place of a record from which a shard takes messages, such as {@code in-3@17}.
 *
 * @param open whether it is in the topic of applications, and not in that of nodes
 * @param shard the shard, whose number the partition has
 * @param offset the offset in the partition
 */
public record RecordId(boolean open, int shard, long offset) {
  public static final String RULE = "must be a place such as in-3@17 or open-3@17";

  private static final Pattern FORM = Pattern.compile("(in|open)-([0-9]{1,4})@([0-9]{1,18})");

  /** Reads one; null if it is none. */
  public static @Nullable RecordId readOrNull(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches()
        ? new RecordId(
            form.group(1).equals("open"),
            Integer.parseInt(form.group(2)),
            Long.parseLong(form.group(3)))
        : null;
  }

  /** Returns the text that is read. */
  public String text() {
    return (open ? "open-" : "in-") + shard + "@" + offset;
  }
}
