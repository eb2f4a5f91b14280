package dev.reprise.device;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.MessageQueue;
import dev.reprise.device.retry.RetryPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A device's connection to its hub. It is opened once, and from then on kept up: failures that may
 * pass are retried with growing waits, by default without an end. Messages wait in a queue while
 * there is no connection, and are sent at least once.
 *
 * <pre>{@code
 * try (DeviceClient client =
 *     DeviceClient.builder(HubProfiles.fromUri(URI.create("mqtt://localhost"), "device-1"))
 *         .onStatus((status, previous) -> log(status))
 *         .build()) {
 *   // Fails when the device is refused; while the hub is away, it waits.
 *   client.open().toCompletableFuture().join();
 *   // Waits: what is not sent when the client is closed is cancelled.
 *   client.send(Message.of("21.5")).toCompletableFuture().join();
 * }
 * }</pre>
 *
 * <p>Thread-safe. No method but {@link #close} blocks. An idle client has no thread of its own.
 */
public final class DeviceClient implements AutoCloseable {
  private static final long MAX_CLOSE_MILLIS = 900;

  private final ClientSettings settings;
  private final CallbackDispatcher callbacks;
  private final Intake intake;
  private final CommandDispatcher commands;
  private final Connector connector;
  private final Outbox outbox;
  private final Loop loop;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Used in the loop only. */
  private boolean isClosed;

  private volatile DeviceCounters counters;

  DeviceClient(ClientSettings settings, MessageQueue queue) {
    this.settings = settings;
    callbacks =
        new CallbackDispatcher(
            settings.callbackExecutor,
            settings.time,
            settings.statusListener,
            settings.outcomeListener);
    loop = new Loop(settings.executor, settings.time, this::afterTurn);
    intake = new Intake(queue, callbacks);
    outbox = new Outbox(settings, loop, intake, queue, new HealthOfConnection());
    commands = new CommandDispatcher(callbacks);
    connector = new Connector(settings, loop, outbox, intake, callbacks, commands);
    counters = count();
    // Messages on disk from before may already have expired.
    loop.post(() -> {});
  }

  /** Returns a builder of a client for this device at its hub. */
  public static DeviceClientBuilder builder(HubProfile profile) {
    return new DeviceClientBuilder(profile);
  }

  /**
   * Connects, and keeps the connection up from now on. A client that has given up, or was refused,
   * can be opened again; one that was closed cannot.
   *
   * @return completed when there is a connection for the first time; it fails with a {@link
   *     TransportException} when the client gives up or is refused, and with an {@link
   *     IllegalStateException} when the client is closed. Where a refusal may pass, such as that of
   *     a server's certificate that has expired or of a queue that does not exist, it fails
   *     although the client goes on trying, slowly, as {@link #status} says
   */
  public CompletionStage<@Nullable Void> open() {
    CompletableFuture<@Nullable Void> opener = new CompletableFuture<>();
    loop.post(() -> connector.open(opener));
    return opener;
  }

  /**
   * Sends a message as soon as there is a connection, and until it is acknowledged.
   *
   * @return completed exactly once: with the outcome when the message was acknowledged, with a
   *     {@link dev.reprise.device.message.NotDeliveredException} when it ended in another way. When
   *     the client stops for good first, or has stopped, it fails with the {@link
   *     TransportException} that says why: the message stays in the queue for the next {@link
   *     #open}, and how it ends is told to the {@link OutcomeListener} only
   */
  public CompletionStage<MessageOutcome> send(Message message) {
    Objects.requireNonNull(message, "message");
    CompletableFuture<MessageOutcome> stage = new CompletableFuture<>();
    loop.post(() -> offer(message, stage, null));
    return stage;
  }

  /**
   * Entrusts a message to the queue, and does not wait for it to be sent. With a queue on disk the
   * message is safe when the stage completes. Its outcome is reported to the {@link
   * OutcomeListener}.
   *
   * @return completed when the message is accepted; it fails when the queue refuses it
   */
  public CompletionStage<@Nullable Void> enqueue(Message message) {
    Objects.requireNonNull(message, "message");
    CompletableFuture<@Nullable Void> acceptance = new CompletableFuture<>();
    loop.post(() -> offer(message, null, acceptance));
    return acceptance;
  }

  private void offer(
      Message message,
      @Nullable CompletableFuture<MessageOutcome> stage,
      @Nullable CompletableFuture<@Nullable Void> acceptance) {
    try {
      intake.offer(message, stage, acceptance, loop.now(), outbox::forget);
    } catch (Throwable e) {
      // Such as a lack of memory: no caller may wait for a message that is not in the queue.
      if (stage != null) {
        callbacks.fail(stage, e);
      }
      if (acceptance != null) {
        callbacks.fail(acceptance, e);
      }
      throw e;
    }
  }

  /**
   * Sets what handles commands, and asks for them now and after each reconnect.
   *
   * @return completed when commands are granted; it fails when they are refused
   */
  public CompletionStage<@Nullable Void> subscribe(CommandHandler handler) {
    Objects.requireNonNull(handler, "handler");
    CompletableFuture<@Nullable Void> subscriber = new CompletableFuture<>();
    loop.post(
        () -> {
          if (isClosed) {
            callbacks.fail(subscriber, new IllegalStateException("the client is closed"));
          } else {
            commands.subscribe(handler, subscriber);
            connector.subscribe();
          }
        });
    return subscriber;
  }

  /** Sets the policy of both reconnects and resends, from the next decision on. */
  public void setRetryPolicy(RetryPolicy policy) {
    setConnectionRetryPolicy(policy);
    setMessageRetryPolicy(policy);
  }

  /** Sets when the connection is tried again, from the next decision on. */
  public void setConnectionRetryPolicy(RetryPolicy policy) {
    settings.connectionPolicy = Objects.requireNonNull(policy, "policy");
  }

  /** Sets when a message that was not accepted is sent again, from the next decision on. */
  public void setMessageRetryPolicy(RetryPolicy policy) {
    settings.messagePolicy = Objects.requireNonNull(policy, "policy");
  }

  /**
   * Sets how long a message is sent again and again; see {@link
   * DeviceClientBuilder#operationTimeout}.
   */
  public void setOperationTimeout(Duration timeout) {
    settings.operationTimeoutNanos =
        DeviceClientBuilder.positive("operationTimeout", timeout).toNanos();
  }

  /**
   * Ends the wait for the next attempt to connect: the network is back. It also ends that of a
   * device that may not send; see {@link DeviceClientBuilder#maxRejectedInARow}. It does not
   * shorten a wait that the other side asked for, and does nothing when the client does not wait.
   */
  public void reconnectNow() {
    loop.post(
        () -> {
          connector.reconnectNow();
          outbox.tryNow();
        });
  }

  /** Returns the present status. */
  public ConnectionStatus status() {
    return connector.status();
  }

  /** Returns the counters of the client. */
  public DeviceCounters counters() {
    return counters;
  }

  /**
   * Ends the connection and all that the client does, within a second. Messages in memory are
   * cancelled; messages on disk are sent by the next client that opens the queue. A disk that takes
   * longer than the second is not waited for: until it is done, the folder of the queue is in use.
   */
  @Override
  public void close() {
    loop.post(this::closeInLoop);
    boolean interrupted = false;
    try {
      // Everything is on its way to its end; a disk that hangs must not hang the caller.
      boolean unused = closed.await(MAX_CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeInLoop() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      connector.close();
      outbox.close();
      commands.close();
    } finally {
      try {
        intake.close(outbox::forget);
      } finally {
        counters = count(0, 0);
        callbacks.endTurn();
        closed.countDown();
      }
    }
  }

  private void afterTurn() {
    try {
      if (!isClosed) {
        syncAndSend();
        connector.afterTurn();
        if (intake.mustSync()) {
          // Messages that ended only now, such as expired ones, are reported after the next turn.
          loop.post(() -> {});
        }
        counters = count();
      }
    } finally {
      callbacks.endTurn();
    }
  }

  private void syncAndSend() {
    try {
      intake.sync(outbox::forget);
      outbox.pump();
    } catch (RuntimeException | Error e) {
      // Such as a lack of memory, which may pass.
      outbox.tryAgainSoon();
      throw e;
    }
  }

  private DeviceCounters count() {
    return count(outbox.waiting(), outbox.inFlight());
  }

  private DeviceCounters count(int waiting, int inFlight) {
    return new DeviceCounters(
        waiting,
        inFlight,
        intake.accepted(),
        intake.recovered(),
        intake.acknowledged(),
        intake.ended(Kind.REJECTED),
        intake.ended(Kind.EXPIRED),
        intake.ended(Kind.DROPPED),
        intake.ended(Kind.CANCELLED),
        intake.stored(),
        outbox.attempts(),
        connector.connects(),
        connector.losses());
  }

  private final class HealthOfConnection implements Outbox.Health {
    @Override
    public void onThrottled(TransportException cause) {
      connector.throttled(cause);
    }

    @Override
    public void onForbidden(TransportException cause) {
      connector.throttled(cause);
    }

    @Override
    public void onFlowing() {
      connector.flowing();
    }

    @Override
    public void onDead(TransportException cause) {
      connector.lost(cause);
    }
  }
}
