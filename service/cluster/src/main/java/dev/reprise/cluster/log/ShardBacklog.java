package dev.reprise.cluster.log;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The records that the brokers have accepted for a shard and that it has not taken, and the reason
 * why it is not at work, if it is not.
 *
 * @param notTaken how many records; -1 if that is not known. A few may be no messages, such as the
 *     probes of nodes, which a shard passes over as soon as it comes to them
 * @param oldestMillis when the oldest of them was appended, by the brokers' clock; 0 if there is
 *     none
 * @param atLeast whether that is only since when it was seen, so that it may be older
 * @param turnMillis since when a turn of the shard is sent to the brokers and not committed; 0 if
 *     none is
 * @param stands whether there are such records since a minute or more, and none is taken
 * @param problem why it is not at work, or takes nothing of what waits; null if nothing is wrong
 * @param sinceMillis since when; 0 if nothing is wrong
 */
public record ShardBacklog(
    long notTaken,
    long oldestMillis,
    boolean atLeast,
    long turnMillis,
    boolean stands,
    @Nullable String problem,
    long sinceMillis) {
  /** Returns for people that the shard stands; null if it does not. */
  public @Nullable String sentence(int shard) {
    return stands
        ? String.format(
            Locale.ROOT,
            "shard %d takes nothing: %d accepted %s, the oldest since %s%s; %s",
            shard,
            notTaken,
            notTaken == 1 ? "record waits" : "records wait",
            atLeast ? "before " : "",
            Instant.ofEpochMilli(oldestMillis),
            problem)
        : null;
  }
}
