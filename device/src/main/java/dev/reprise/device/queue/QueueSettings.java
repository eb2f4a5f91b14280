package dev.reprise.device.queue;

import dev.reprise.core.InvalidSettingException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of what a device keeps while it cannot send.
 *
 * @param maxMessages the most messages, at least 1
 * @param maxBytes the most bytes, as {@link dev.reprise.device.message.Message#sizeBytes()} counts
 *     them, at least 1
 * @param dropPolicy what happens to one more
 * @param timeToLive how long a message that says nothing itself is worth sending, or null: without
 *     a limit
 * @param folder where the queue is kept on disk, or null: in memory, gone with the process
 */
public record QueueSettings(
    int maxMessages,
    long maxBytes,
    DropPolicy dropPolicy,
    @Nullable Duration timeToLive,
    @Nullable Path folder) {
  private static final QueueSettings DEFAULTS =
      new QueueSettings(10_000, 16 * 1024 * 1024, DropPolicy.REJECT_NEW, null, null);

  /** Checks all arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public QueueSettings {
    if (maxMessages < 1) {
      throw new InvalidSettingException("maxMessages", maxMessages, "must be >= 1");
    }
    if (maxBytes < 1) {
      throw new InvalidSettingException("maxBytes", maxBytes, "must be >= 1");
    }
    if (timeToLive != null && (timeToLive.isNegative() || timeToLive.isZero())) {
      throw new InvalidSettingException("timeToLive", timeToLive, "must be > 0");
    }
  }

  /** Returns 10,000 messages or 16 MiB in memory, without expiry; further messages are refused. */
  public static QueueSettings defaults() {
    return DEFAULTS;
  }

  /** Returns these settings with other bounds. */
  public QueueSettings withBounds(int maxMessages, long maxBytes) {
    return new QueueSettings(maxMessages, maxBytes, dropPolicy, timeToLive, folder);
  }

  /** Returns these settings with another drop policy. */
  public QueueSettings withDropPolicy(DropPolicy dropPolicy) {
    return new QueueSettings(maxMessages, maxBytes, dropPolicy, timeToLive, folder);
  }

  /** Returns these settings with a time to live for messages that say nothing themselves. */
  public QueueSettings withTimeToLive(Duration timeToLive) {
    return new QueueSettings(maxMessages, maxBytes, dropPolicy, timeToLive, folder);
  }

  /** Returns these settings for a queue on disk, which outlives the process. */
  public QueueSettings inFolder(Path folder) {
    return new QueueSettings(maxMessages, maxBytes, dropPolicy, timeToLive, folder);
  }
}
