package dev.reprise.device;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.retry.RetryDecision;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides what follows when an attempt to connect failed or a connection was lost: another attempt
 * and when, or the end. Used in the loop only.
 *
 * <p>Only the answer to an attempt is final. A connection that had been accepted may have been
 * ended because of one message or one request; whether the device itself is refused, the next
 * attempt shows.
 */
final class Reconnects {
  /**
   * The shortest wait before a reconnect, whatever the policy says: the first delay of the Azure
   * default.
   */
  private static final long MIN_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The policy of failures about which none is asked: the default of the Azure IoT device SDK. */
  private static final Backoff DEFAULT = Backoff.exponentialWithJitter();

  /**
   * The delays after a throttle or a used-up quota, for policies without delays of their own for
   * that: 15 to 25 s, doubling up to 5 min. Brokers count the attempts of a minute, and ban for
   * some.
   */
  private static final Backoff THROTTLED =
      Backoff.exponential(Duration.ofSeconds(20), Duration.ofMinutes(5)).withJitter(0.25);

  /**
   * The delays after a failure that an operator or a clock has to mend: 60 to 100 s, doubling up to
   * 20 min.
   */
  static final Backoff REFUSED =
      Backoff.exponential(Duration.ofSeconds(80), Duration.ofMinutes(20)).withJitter(0.25);

  /** The step that follows. */
  sealed interface Next {}

  /**
   * Another attempt.
   *
   * @param delayNanos how long to wait first, at least {@link #MIN_DELAY_NANOS}
   * @param withNewCredential whether the present credential must not be shown again
   * @param isRefused whether something was refused that is expected to pass, but not soon
   */
  record Retry(long delayNanos, boolean withNewCredential, boolean isRefused) implements Next {}

  /** The client stops, until it is opened again. */
  record Stop(StatusReason reason) implements Next {}

  private final ClientSettings settings;
  private final Loop loop;
  private final Credentials credentials;

  /** Retries since the connection was last stable. */
  private int retries;

  /** The connection that was lost last had proved itself without being stable. */
  private boolean wasProven;

  private long outageSinceNanos;

  /** The other side asked not to be called before. */
  private long hintUntilNanos;

  /** A credential was replaced because it was refused, and the connection was not stable since. */
  private boolean replacedRefused;

  /** The credential of the last connection that was made, or null. */
  private @Nullable Credential connectedWith;

  /** The credential of the last connection whose other side has taken messages, or null. */
  private @Nullable Credential provenWith;

  private @Nullable String redirect;

  /** Throttles and used-up quotas since the connection was last stable. */
  private int throttles;

  /** Refusals since then that others, or a clock, are expected to mend. */
  private int refusals;

  Reconnects(ClientSettings settings, Loop loop, Credentials credentials) {
    this.settings = settings;
    this.loop = loop;
    this.credentials = credentials;
  }

  /** Begins anew: the client was opened. */
  void opened() {
    stable();
    redirect = null;
    outageBegins();
  }

  /** Notes that there is no connection from now on, and that nothing went wrong before. */
  void outageBegins() {
    outageSinceNanos = loop.now();
  }

  /** Notes that there is a connection. */
  void connected() {
    connectedWith = credentials.current();
  }

  /** Notes that the connection has lasted. */
  void stable() {
    retries = 0;
    throttles = 0;
    refusals = 0;
    replacedRefused = false;
  }

  /**
   * Notes that a connection was lost.
   *
   * @param proven whether it is one that does not last and whose other side has taken messages:
   *     then the retries start over
   */
  void lost(boolean proven) {
    wasProven = proven;
    if (proven) {
      retries = 0;
      provenWith = credentials.current();
    }
  }

  /** Returns the retries made since the connection was last stable. */
  int retries() {
    return retries;
  }

  /** Returns the server that the next attempt goes to, or null for the configured one. */
  @Nullable String redirect() {
    return redirect;
  }

  /** Returns how long the other side asked not to be called, at most 0 when that is over. */
  long hintNanos() {
    return hintUntilNanos - loop.now();
  }

  /**
   * Decides.
   *
   * @param wasAccepted whether it was a connection that was lost, rather than an attempt that
   *     failed
   */
  Next after(TransportException failure, boolean wasAccepted) {
    boolean wasRedirected = redirect != null;
    // A server that does not keep what the configured one promised is not asked again.
    redirect = failure.serverReference();

    if (failure.isRetryable()) {
      return asThePolicySays(failure);
    }

    // An allowance comes back by itself.
    if (failure.kind() == ErrorKind.QUOTA) {
      return retry(failure, throttledDelayNanos(), false);
    }

    // Another server's word is not the last one.
    if (wasRedirected) {
      return retry(failure, defaultDelayNanos(), false);
    }

    // A token that ran out, or was withdrawn, is worth exactly one new one.
    boolean isRefused = Failures.isRefusedCredential(failure);
    if (isRefused && credentials.areRenewable() && !replacedRefused) {
      replacedRefused = true;
      return retry(failure, defaultDelayNanos(), true);
    }

    boolean isMissing = Failures.isOfMissingAddress(failure);
    boolean isFirstAnswer = Failures.isOfRequest(failure) && !wasProven;
    if (wasAccepted && !Failures.isAboutTheDevice(failure) && !(isMissing && isFirstAnswer)) {
      return retry(failure, defaultDelayNanos(), isRefused);
    }

    // A token of a clock that is late is good again when the clock is set.
    if (isRefused && credentials.dependOnClock()) {
      return retrySlowly(failure, 0, true);
    }

    // A hub that knew the device, and an address that is yet to be made, get mended by others. So
    // does a certificate that has ended: the next attempt reads its file.
    boolean isOfIdentity = isRefused || Failures.isRefusedCertificate(failure);
    if (!settings.stopsWhenRefused
        && (isMissing || (isOfIdentity && wasAcceptedBefore(failure, wasAccepted)))) {
      return retrySlowly(failure, 0, isRefused && credentials.areRenewable());
    }

    // Trying again does not mend it.
    return new Stop(Failures.reason(failure));
  }

  /**
   * Returns whether this other side has accepted the device with what it refuses now. Where one
   * request is refused, or a certificate late, only requests before it can tell; there was a
   * connection anyway.
   */
  private boolean wasAcceptedBefore(TransportException refusal, boolean isConnected) {
    boolean isLate = Failures.isOfRequest(refusal) || Failures.isRefusedCertificate(refusal);
    Credential accepted = isConnected && isLate ? provenWith : connectedWith;
    // Those that are renewed are another one each time.
    return accepted != null
        && (credentials.areRenewable() || accepted.equals(credentials.current()));
  }

  private Next asThePolicySays(TransportException failure) {
    RetryDecision decision = Decisions.ask(settings.connectionPolicy, retries, failure);
    if (!decision.shouldRetry()) {
      return new Stop(StatusReason.RETRY_EXPIRED);
    }
    long delayNanos = Decisions.nanos(decision.delay());
    if (Failures.isOfTheirTls(failure)) {
      return retrySlowly(failure, delayNanos, false);
    }
    if (Failures.isThrottle(failure) && !settings.connectionPolicy.isSlowerAfterThrottles()) {
      delayNanos = Math.max(delayNanos, throttledDelayNanos());
    }
    return retry(failure, delayNanos, false);
  }

  private long throttledDelayNanos() {
    throttles = next(throttles);
    return THROTTLED.delayNanos(throttles, settings.random);
  }

  private long defaultDelayNanos() {
    return DEFAULT.delayNanos(
        retries == Integer.MAX_VALUE ? retries : retries + 1, settings.random);
  }

  private Next retrySlowly(TransportException failure, long leastNanos, boolean withNewCredential) {
    refusals = next(refusals);
    long delayNanos = Math.max(leastNanos, REFUSED.delayNanos(refusals, settings.random));
    return retry(failure, delayNanos, withNewCredential) instanceof Retry retry
        ? new Retry(retry.delayNanos(), withNewCredential, true)
        : new Stop(StatusReason.RETRY_EXPIRED);
  }

  private Next retry(TransportException failure, long wantedNanos, boolean withNewCredential) {
    long now = loop.now();

    // A retry that cannot start in time is not worth the wait.
    if (settings.giveUpAfterNanos - (now - outageSinceNanos) < wantedNanos) {
      return new Stop(StatusReason.RETRY_EXPIRED);
    }
    Duration asked = failure.retryAfter();
    long hintNanos = asked == null ? 0 : Math.min(Decisions.nanos(asked), Long.MAX_VALUE / 4);
    hintUntilNanos = now + hintNanos;
    long leastNanos = Math.max(MIN_DELAY_NANOS, hintNanos);
    long delayNanos = Math.min(Math.max(wantedNanos, leastNanos), Long.MAX_VALUE / 4);
    if (retries == 0 && !wasProven && settings.firstReconnectSpreadNanos > 0) {
      delayNanos += settings.random.nextLong(settings.firstReconnectSpreadNanos);
    }
    retries = next(retries);
    return new Retry(delayNanos, withNewCredential, false);
  }

  /** Counts on, and stays where no more can be counted. */
  private static int next(int count) {
    return count == Integer.MAX_VALUE ? count : count + 1;
  }
}
