package dev.reprise.delivery.shard;

import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.store.Batch;
import java.util.List;

/**
 * The result of one step of a shard. The host makes {@code writes} durable first; only then does it
 * run {@code answers} and start {@code attempts}.
 *
 * @param writes one batch, possibly empty
 * @param attempts deliveries to attempt now
 * @param answers replies that are true once the writes are durable
 * @param givenUp deliveries that were given up, which is true once the writes are durable
 * @param suspensions subscriptions that were suspended or released, which is true once the writes
 *     are durable
 * @param saturated whether due deliveries wait for a place that no single endpoint holds up: the
 *     host does well to take in less
 * @param wakeAtMillis the wall time of the next step if nothing happens before; may be in the past,
 *     which means at once; {@code Long.MAX_VALUE} means never
 */
public record Turn(
    Batch writes,
    List<Claim> attempts,
    List<Runnable> answers,
    List<GivenUp> givenUp,
    List<SuspensionChange> suspensions,
    boolean saturated,
    long wakeAtMillis) {}
