package dev.reprise.delivery.attempt;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpProxy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A forward proxy as a carrier of HTTP. The attempts are made by {@link HttpAttempts}; this counts
 * them, and keeps the proxy's own faults, which are not charged to endpoints.
 */
final class ProxyCarrier implements Carrier {
  private static final int CONNECT_MILLIS = 10_000;
  private static final Duration FULL = Duration.ofMillis(50);

  private static final byte[] NO_RESPONSE = {};

  /**
   * So many hosts, one after the other, that the proxy makes no tunnel to without saying why, are
   * the proxy's fault. Fewer may be the hosts': subscribers choose them.
   */
  static final int MIN_UNREACHED_HOSTS = 3;

  /** Marks outcomes that are the proxy's own fault. */
  private static final RetryInfo PROXY = () -> RetrySafety.YES;

  /** Marks outcomes that are perhaps the proxy's fault. */
  private static final RetryInfo PERHAPS_PROXY = () -> RetrySafety.YES;

  /** Replaced by the wait of {@link CarrierFault} before it is reported. */
  private static final Duration UNKNOWN = Duration.ofSeconds(1);

  private final HttpProxy proxy;
  private final CarrierContext context;
  private final CarrierFault fault = new CarrierFault(() -> ThreadLocalRandom.current().nextLong());
  private final AtomicInteger inFlight = new AtomicInteger();

  /** The hosts that no tunnel was made to, since one was. */
  private final Set<String> unreached = new HashSet<>();

  ProxyCarrier(HttpProxy proxy, CarrierContext context) {
    this.proxy = proxy;
    this.context = context;
  }

  HttpProxy proxy() {
    return proxy;
  }

  /** Begins an attempt; null if it may go on, and {@link #end} must follow then. */
  @Nullable AttemptOutcome begin() {
    // Before the fault is asked: an attempt that passes there has to find out whether it lasts.
    AttemptOutcome refusal =
        inFlight.incrementAndGet() > context.maxInFlight()
            ? AttemptOutcome.givenBack(
                "all " + context.maxInFlight() + " places of the proxy are taken", FULL)
            : fault.refusal();
    if (refusal != null) {
      inFlight.decrementAndGet();
    }
    return refusal;
  }

  /** The outcome of an attempt that the proxy itself has ended. */
  static AttemptOutcome failed(HttpOutcome.ProxyFailed failed) {
    return new AttemptOutcome(
        failed.explained() ? PROXY : PERHAPS_PROXY,
        0,
        failed.detail(),
        "",
        NO_RESPONSE,
        failed.latencyNanos(),
        false,
        new AttemptOutcome.Block(UNKNOWN, failed.detail()),
        List.of());
  }

  /**
   * Ends an attempt.
   *
   * @param host the endpoint's
   */
  AttemptOutcome end(String host, AttemptOutcome outcome) {
    inFlight.decrementAndGet();
    if (outcome.failure() == PROXY) {
      AttemptOutcome.Block block = fault.failed(outcome.summary());
      return AttemptOutcome.givenBack(outcome.summary(), block.time());
    }
    if (outcome.failure() == PERHAPS_PROXY) {
      return unreached(host, outcome);
    }
    if (!outcome.made() || outcome.isRefused()) {
      // The proxy was not asked.
      fault.undecided();
    } else {
      synchronized (unreached) {
        unreached.clear();
      }
      if (fault.recovered()) {
        context.recovered();
      }
    }
    return outcome;
  }

  private AttemptOutcome unreached(String host, AttemptOutcome outcome) {
    boolean many;
    synchronized (unreached) {
      many = unreached.size() >= MIN_UNREACHED_HOSTS;
      if (!many) {
        unreached.add(host);
        many = unreached.size() >= MIN_UNREACHED_HOSTS;
      }
    }
    if (many) {
      // Without the host: others see the reason that they wait for.
      String reason =
          "the proxy " + proxy + " makes no tunnels: " + MIN_UNREACHED_HOSTS + " hosts in a row";
      return AttemptOutcome.givenBack(reason, fault.failed(reason).time());
    }
    fault.undecided();
    return new AttemptOutcome(
        CarrierFailure.TRANSIENT, 0, outcome.summary(), "", NO_RESPONSE, outcome.durationNanos());
  }

  @Override
  public void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    throw new IllegalStateException("attempts through a proxy are made over HTTP");
  }

  @Override
  public CarrierState state() {
    return new CarrierState(fault.reason(), fault.sinceMillis(), 0, inFlight.get());
  }

  /** Only connects: a login is checked only where a tunnel is asked for. */
  @Override
  public CompletionStage<String> test() {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(proxy.host(), proxy.port()), CONNECT_MILLIS);
            return "connected to "
                + proxy
                + "; whether it lets deliveries through is seen with the first";
          } catch (IOException e) {
            throw new CarrierException("cannot connect to " + proxy + ": " + e.getMessage());
          }
        });
  }

  @Override
  public void close() {
    // Connections belong to the HTTP client.
  }
}
