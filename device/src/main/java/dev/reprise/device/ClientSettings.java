package dev.reprise.device;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client. Those that can be changed while it runs are volatile: a change takes
 * effect at the next decision.
 */
final class ClientSettings {
  final HubProfile profile;
  final QueueSettings queue;
  final long connectTimeoutNanos;
  final Duration ackTimeout;
  final long stableAfterNanos;
  final long giveUpAfterNanos;
  final long firstReconnectSpreadNanos;
  final int maxInFlight;
  final long maxInFlightBytes;
  final int maxRejectedInARow;
  final boolean stopsWhenRefused;
  final TimeSource time;
  final RandomGenerator random;
  final Executor executor;

  /** Whether the loop may run on the connection's thread, which must never be blocked. */
  final boolean mayRunWithConnection;

  final Executor callbackExecutor;
  final @Nullable StatusListener statusListener;
  final @Nullable OutcomeListener outcomeListener;

  volatile RetryPolicy connectionPolicy;
  volatile RetryPolicy messagePolicy;
  volatile long operationTimeoutNanos;

  ClientSettings(DeviceClientBuilder builder) {
    profile = builder.profile;
    queue = builder.queue;
    connectTimeoutNanos = builder.connectTimeout.toNanos();
    ackTimeout = builder.ackTimeout;
    stableAfterNanos = builder.stableAfter.toNanos();
    giveUpAfterNanos = builder.giveUpAfter == null ? Long.MAX_VALUE : builder.giveUpAfter.toNanos();
    firstReconnectSpreadNanos = builder.firstReconnectSpread.toNanos();
    maxInFlight = builder.maxInFlight;
    maxInFlightBytes = builder.maxInFlightBytes;
    maxRejectedInARow = builder.maxRejectedInARow;
    stopsWhenRefused = builder.stopsWhenRefused;
    time = builder.time;
    random = builder.random;
    executor = builder.loopExecutor();
    mayRunWithConnection = builder.mayRunWithConnection();
    callbackExecutor = builder.callbackExecutor;
    statusListener = builder.statusListener;
    outcomeListener = builder.outcomeListener;
    connectionPolicy = builder.connectionPolicy;
    messagePolicy = builder.messagePolicy;
    operationTimeoutNanos = builder.operationTimeout.toNanos();
  }
}
