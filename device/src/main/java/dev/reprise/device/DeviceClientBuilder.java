package dev.reprise.device;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.retry.TimeSource;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.queue.MessageQueues;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.ExponentialBackoffWithJitter;
import dev.reprise.device.retry.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link DeviceClient}. All have defaults. Not thread-safe. */
public final class DeviceClientBuilder {
  /** Waits are added to times, and must not overflow: 146 years are enough. */
  private static final Duration MAX_WAIT = Duration.ofNanos(Long.MAX_VALUE / 2);

  private static final int MAX_REJECTED_IN_A_ROW = 1_000_000;

  /** Draws from the generator of whichever thread runs the loop. */
  private static final RandomGenerator THREAD_RANDOM = () -> ThreadLocalRandom.current().nextLong();

  final HubProfile profile;
  QueueSettings queue = QueueSettings.defaults();
  RetryPolicy connectionPolicy;
  RetryPolicy messagePolicy;
  Duration operationTimeout = Duration.ofMinutes(4);
  Duration connectTimeout = Duration.ofSeconds(30);
  Duration ackTimeout = Duration.ofMinutes(1);
  Duration stableAfter = Duration.ofSeconds(30);
  @Nullable Duration giveUpAfter;
  Duration firstReconnectSpread = Duration.ofSeconds(1);
  int maxInFlight = 100;
  long maxInFlightBytes = 16L << 20;
  int maxRejectedInARow = 10;
  boolean stopsWhenRefused;
  TimeSource time = TimeSource.system();
  RandomGenerator random = THREAD_RANDOM;
  private @Nullable Executor executor;
  Executor callbackExecutor = DeviceThreads.forBlocking();
  @Nullable StatusListener statusListener;
  @Nullable OutcomeListener outcomeListener;

  DeviceClientBuilder(HubProfile profile) {
    this.profile = Objects.requireNonNull(profile, "profile");
    RetryPolicy ofHub = profile.retryPolicy();
    connectionPolicy = ofHub == null ? new ExponentialBackoffWithJitter() : ofHub;
    messagePolicy = connectionPolicy;
  }

  /** Sets how much is kept while nothing can be sent, and where. */
  public DeviceClientBuilder queue(QueueSettings queue) {
    this.queue = Objects.requireNonNull(queue, "queue");
    return this;
  }

  /**
   * Sets when the connection is tried again. The default is that of the {@link
   * HubProfile#retryPolicy}, or else {@link ExponentialBackoffWithJitter}; neither ever gives up. A
   * delay below 100 ms is lengthened to that.
   */
  public DeviceClientBuilder connectionRetryPolicy(RetryPolicy policy) {
    connectionPolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * Sets when a message that was not accepted is sent again, while there is a connection. The
   * default is the same as that of {@link #connectionRetryPolicy}.
   */
  public DeviceClientBuilder messageRetryPolicy(RetryPolicy policy) {
    messagePolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * Sets how long a message is sent again and again: from its first attempt on. Not counted is the
   * time without a connection, of throttles and used-up quotas, in which a hub refuses whatever is
   * sent, and in which the message's bytes move over a slow link. 4 minutes by default.
   */
  public DeviceClientBuilder operationTimeout(Duration timeout) {
    operationTimeout = positive("operationTimeout", timeout);
    return this;
  }

  /** Sets how long an attempt to connect may take. 30 seconds by default. */
  public DeviceClientBuilder connectTimeout(Duration timeout) {
    connectTimeout = positive("connectTimeout", timeout);
    return this;
  }

  /**
   * Sets how long an acknowledgement may take before the connection counts as dead, from when the
   * last byte of the message has left; so long, and up to a quarter more, nothing may move while
   * messages wait to leave. 1 minute by default.
   */
  public DeviceClientBuilder ackTimeout(Duration timeout) {
    ackTimeout = positive("ackTimeout", timeout);
    return this;
  }

  /**
   * Sets how long a connection must last before the next loss counts as the first again. A hub that
   * accepts connections only to drop them is approached more and more slowly. 30 seconds by
   * default.
   */
  public DeviceClientBuilder stableAfter(Duration time) {
    stableAfter = positive("stableAfter", time);
    return this;
  }

  /**
   * Sets how long to go on trying without a connection, whatever the policy says. For ever by
   * default.
   */
  public DeviceClientBuilder giveUpAfter(Duration time) {
    giveUpAfter = positive("giveUpAfter", time);
    return this;
  }

  /**
   * Sets over how long the first retry after a loss is spread, on top of what the policy says: when
   * a hub drops all devices at once, they must not all come back at once. 1 second by default; 0
   * for none.
   */
  public DeviceClientBuilder firstReconnectSpread(Duration spread) {
    if (spread.isNegative() || spread.compareTo(MAX_WAIT) > 0) {
      throw new InvalidSettingException(
          "firstReconnectSpread", spread, "must be between 0 and " + MAX_WAIT);
    }
    firstReconnectSpread = spread;
    return this;
  }

  /** Sets how many messages may wait for their acknowledgement at a time. 100 by default. */
  public DeviceClientBuilder maxInFlight(int messages) {
    if (messages < 1) {
      throw new InvalidSettingException("maxInFlight", messages, "must be >= 1");
    }
    maxInFlight = messages;
    return this;
  }

  /**
   * Sets how many bytes the messages that wait for their acknowledgement may have together, as of
   * {@link dev.reprise.device.message.Message#sizeBytes}. As much again may be in memory of those
   * that stand aside for others, so twice that at most, however long the queue on disk is. A
   * message that is larger is sent alone. 16 MiB by default.
   *
   * @throws InvalidSettingException when it is below 1
   */
  public DeviceClientBuilder maxInFlightBytes(long bytes) {
    if (bytes < 1) {
      throw new InvalidSettingException("maxInFlightBytes", bytes, "must be >= 1");
    }
    maxInFlightBytes = bytes;
    return this;
  }

  /**
   * Sets how many messages one after the other may be rejected as not allowed or not wanted, all
   * with the same code and none acknowledged between. Then it is the device that may not send,
   * rather than those messages that are bad: the rest waits, the status says why, and as many
   * messages are tried after 60 to 100 s and twice as late each time, up to 20 min, until one is
   * acknowledged. None is lost meanwhile. 10 by default.
   *
   * @param messages from 1 to 1,000,000
   * @throws InvalidSettingException when it is out of this range
   */
  public DeviceClientBuilder maxRejectedInARow(int messages) {
    if (messages < 1 || messages > MAX_REJECTED_IN_A_ROW) {
      throw new InvalidSettingException(
          "maxRejectedInARow", messages, "must be between 1 and " + MAX_REJECTED_IN_A_ROW);
    }
    maxRejectedInARow = messages;
    return this;
  }

  /**
   * Sets whether the client stops when a device that the hub had accepted before is refused, or
   * when the queue or the address that it sends to does not exist. By default it does not: both get
   * mended at the hub, and it tries again after 60 to 100 s and twice as late each time, up to 20
   * min. A device that was never accepted, such as one with a wrong password, stops in any case.
   */
  public DeviceClientBuilder stopWhenRefused(boolean stops) {
    stopsWhenRefused = stops;
    return this;
  }

  /** Sets the listener for changes of the status. */
  public DeviceClientBuilder onStatus(StatusListener listener) {
    statusListener = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /** Sets the listener for the outcomes of messages. */
  public DeviceClientBuilder onOutcome(OutcomeListener listener) {
    outcomeListener = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /**
   * Sets what runs listeners, the command handler and what depends on stages; it may be blocked.
   */
  public DeviceClientBuilder callbackExecutor(Executor executor) {
    callbackExecutor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /** Sets what runs the client itself, and the time it runs in: for tests in virtual time. */
  public DeviceClientBuilder time(TimeSource time, Executor executor) {
    this.time = Objects.requireNonNull(time, "time");
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /** Sets where jitter of the client itself is drawn from; used by one thread at a time. */
  public DeviceClientBuilder random(RandomGenerator random) {
    this.random = Objects.requireNonNull(random, "random");
    return this;
  }

  /**
   * Returns the client, which does nothing until it is opened but take messages.
   *
   * @throws IOException when the queue's folder cannot be used, or what is in it cannot be read
   */
  public DeviceClient build() throws IOException {
    return new DeviceClient(new ClientSettings(this), MessageQueues.open(queue));
  }

  Executor loopExecutor() {
    if (executor != null) {
      return executor;
    }
    return queue.folder() == null ? DeviceThreads.forLoops() : DeviceThreads.forBlocking();
  }

  boolean mayRunWithConnection() {
    return executor == null && queue.folder() == null;
  }

  static Duration positive(String name, Duration value) {
    if (value.isNegative() || value.isZero() || value.compareTo(MAX_WAIT) > 0) {
      throw new InvalidSettingException(name, value, "must be above 0 and at most " + MAX_WAIT);
    }
    return value;
  }
}
