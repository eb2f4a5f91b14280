package dev.reprise.device;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.transport.TransportConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Obtains the device's credential, and renews it before it ends: on the live connection if the
 * protocol can, else by changing connections after what is under way. Used in the loop only.
 */
final class Credentials {
  private static final Logger LOG = LoggerFactory.getLogger(Credentials.class);

  /** The share of its lifetime after which a credential is renewed at the latest. */
  private static final double RENEWAL_SHARE = 0.85;

  /** Devices that started together must not all renew together. */
  private static final double RENEWAL_SPREAD = 0.05;

  /** The least time between renewals, however short the lifetime of a credential. */
  private static final long MIN_RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The time that messages under way have to end before the connection is changed. */
  private static final long MAX_DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A credential, and the time at which it was supplied: its lifetime counts from then. */
  record Supply(Credential credential, long atNanos) {}

  /** Takes the supplied credential. */
  interface Receiver {
    /** Takes the credential, or why there is none. */
    void accept(@Nullable Supply supplied, @Nullable Throwable failure);
  }

  private final ClientSettings settings;
  private final Loop loop;
  private final Outbox outbox;
  private final Runnable changeConnections;
  private final Loop.Timer renewalTimer;
  private final Loop.Timer drainTimer;

  private Supply current = new Supply(Credential.NONE, 0);

  /** A credential for the next attempt, which was supplied before it began. */
  private @Nullable Supply next;

  private @Nullable TransportConnection connection;

  /** The number of the latest request to the supplier; late answers to earlier ones are ignored. */
  private int renewal;

  Credentials(ClientSettings settings, Loop loop, Outbox outbox, Runnable changeConnections) {
    this.settings = settings;
    this.loop = loop;
    this.outbox = outbox;
    this.changeConnections = changeConnections;
    this.renewalTimer = loop.new Timer(this::renew);
    this.drainTimer = loop.new Timer(changeConnections);
  }

  /** Returns whether a new one can be had after one was refused. */
  boolean areRenewable() {
    return settings.profile.credentials().isRenewable();
  }

  /** Returns whether a refusal may be the fault of the device's clock. */
  boolean dependOnClock() {
    return settings.profile.credentials().dependsOnClock();
  }

  /** Obtains one for an attempt, and goes on in the loop. */
  void supply(@Nullable Credential refused, Receiver receiver) {
    Supply ready = next;
    next = null;
    if (ready != null) {
      receiver.accept(ready, null);
    } else {
      ask(refused, receiver);
    }
  }

  private void ask(@Nullable Credential refused, Receiver receiver) {
    CompletionStage<Credential> stage;
    try {
      stage =
          Objects.requireNonNull(
              settings.profile.credentials().supply(refused), "the supplier returned null");
    } catch (Throwable e) {
      stage = CompletableFuture.failedFuture(e);
    }
    var unused =
        stage.handle(
            (supplied, thrown) -> {
              loop.post(
                  () ->
                      receiver.accept(
                          supplied == null ? null : new Supply(supplied, loop.now()), thrown));
              return null;
            });
  }

  /** Notes which one the attempt is made with. */
  void use(Supply supplied) {
    current = supplied;
  }

  Credential current() {
    return current.credential();
  }

  /** Sees to it that the credential of this connection is renewed in time. */
  void connected(TransportConnection ready) {
    connection = ready;
    schedule();
  }

  /**
   * Called when the connection has ended.
   *
   * @param planned true when nothing went wrong; a credential prepared for the next connection is
   *     used only then
   */
  void disconnected(boolean planned) {
    if (!planned) {
      next = null;
    }
    connection = null;
    renewalTimer.cancel();
    drainTimer.cancel();
  }

  /** Called when the new credential is in place; the next renewal follows from its lifetime. */
  void schedule() {
    Duration lifetime = current.credential().lifetime();
    if (lifetime == null || !areRenewable()) {
      renewalTimer.cancel();
      return;
    }
    double share = RENEWAL_SHARE - RENEWAL_SPREAD * settings.random.nextDouble();
    long ageNanos = loop.now() - current.atNanos();
    renewalTimer.set(
        Math.max(MIN_RENEWAL_NANOS, (long) (Decisions.nanos(lifetime) * share) - ageNanos));
  }

  private void renew() {
    int asked = ++renewal;
    // Asks again when there is no answer in time, neither of the supplier nor of the other side.
    renewalTimer.set(settings.connectTimeoutNanos);
    ask(
        null,
        (supplied, failure) -> {
          TransportConnection live = connection;
          if (asked != renewal || live == null || !renewalTimer.isSet()) {
            return;
          }
          if (supplied == null) {
            LOG.warn("the credential could not be renewed; trying again", failure);
            return;
          }
          // It supplies what it has, and has nothing newer yet.
          if (supplied.credential().equals(current.credential())) {
            return;
          }
          if (live.renew(supplied.credential())) {
            current = supplied;
          } else {
            renewalTimer.cancel();
            next = supplied;
            outbox.drain();
            drainTimer.set(MAX_DRAIN_NANOS);
          }
        });
  }

  /** Called after each turn: messages under way may have ended meanwhile. */
  void afterTurn() {
    if (drainTimer.isSet() && outbox.isIdle()) {
      drainTimer.cancel();
      changeConnections.run();
    }
  }
}
