package dev.reprise.delivery.shard;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that is to be attempted now. It is kept in memory only: after a crash the delivery is
 * still pending and is attempted again.
 *
 * @param subscription the subscription's number
 * @param message the message
 * @param attempt the number of this attempt, from 1
 * @param payload the payload as stored, see {@link PayloadRecord}
 * @param pending the delivery as stored
 * @param group the group of the subscription at that time, whose places it takes
 * @param startedNanos when it was claimed, on the shard's monotonic clock
 */
public record Claim(
    long subscription,
    MessageId message,
    int attempt,
    byte[] payload,
    Pending pending,
    String group,
    long startedNanos)
    implements Attempt {
  @Override
  public @Nullable TraceContext trace() {
    return PayloadRecord.trace(payload);
  }
}
