package dev.reprise.delivery;

import java.util.Locale;

/**
 * Records of a log from which a shard takes messages, deleted before the shard had taken them in.
 * Not each of them need be a message.
 *
 * @param count how many places in the log are gone, of all losses that were noticed
 * @param first the first place of the latest loss
 * @param last its last place; -1 if it is not known
 * @param atMillis when that one was noticed, wall time; 0 if there was none
 * @param acknowledged whether an operator has acknowledged all of them
 */
public record LostIntake(long count, long first, long last, long atMillis, boolean acknowledged) {
  /** Nothing is gone. */
  public static final LostIntake NONE = new LostIntake(0, 0, -1, 0, true);

  /** Returns all of them, with one more. */
  public LostIntake and(long from, long to, long nowMillis) {
    long more = to < 0 ? 0 : to - from + 1;
    return new LostIntake(count + more, from, to < 0 ? -1 : to, nowMillis, false);
  }

  /** Returns what two shards have lost together; the latest loss is that of one of them. */
  public LostIntake plus(LostIntake other) {
    LostIntake later = atMillis >= other.atMillis ? this : other;
    return new LostIntake(
        count + other.count,
        later.first,
        later.last,
        later.atMillis,
        acknowledged && other.acknowledged);
  }

  /** Returns the same, acknowledged. */
  public LostIntake known() {
    return new LostIntake(count, first, last, atMillis, true);
  }

  /**
   * Says what is gone, for an operator.
   *
   * @param partition the name of the log
   */
  public String message(String partition) {
    String latest =
        last < 0
            ? String.format(
                Locale.ROOT, "offsets from %d on are gone, their number is unknown", first)
            : String.format(
                Locale.ROOT,
                "offsets %d to %d are gone, up to %d messages",
                first,
                last,
                last - first + 1);
    long before = count - (last < 0 ? 0 : last - first + 1);
    return partition
        + ": "
        + latest
        + (before == 0 ? "" : String.format(Locale.ROOT, "; %d were gone before", before))
        + ". They were accepted, and deleted before their shard had taken them in";
  }
}
