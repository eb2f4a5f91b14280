package dev.reprise.lab.scenario;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Clients that call a service, each call run by a {@code Retry} of the policy.
 *
 * @param clients who calls
 * @param layers what stands between clients and service, the outermost first; each calls the next
 *     one and retries by itself
 * @param service what is called
 * @param hop mean time of one way between neighbours, exponentially distributed; 0: none
 * @param failures what goes wrong, and when
 * @param warmUp from the start until measuring begins, at least 0
 * @param duration how long new calls begin, warm-up included; the run then goes on until all of
 *     them have ended
 */
public record CallModel(
    Clients clients,
    List<Layer> layers,
    Service service,
    Duration hop,
    List<Failure> failures,
    Duration warmUp,
    Duration duration)
    implements Model {
  /** Checks the arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public CallModel {
    Objects.requireNonNull(clients, "clients");
    layers = List.copyOf(layers);
    Objects.requireNonNull(service, "service");
    Require.span("hop", hop);
    failures = List.copyOf(failures);
    Require.span("warmUp", warmUp);
    Require.positiveSpan("duration", duration);
    Require.order("warmUp", warmUp, "duration", duration);
  }

  /** Returns when the last outage, brown-out or recorded failure ends, or 0 without any. */
  public Duration recovery() {
    Duration recovery = Duration.ZERO;
    for (Failure failure : failures) {
      Duration to = Duration.ZERO;
      if (failure instanceof Failure.Outage outage) {
        to = outage.to();
      } else if (failure instanceof Failure.BrownOut brownOut) {
        to = brownOut.to();
      } else if (failure instanceof Failure.Trace trace && !trace.intervals().isEmpty()) {
        to = trace.intervals().get(trace.intervals().size() - 1).to();
      }
      recovery = to.compareTo(recovery) > 0 ? to : recovery;
    }
    return recovery;
  }

  /**
   * The clients that call.
   *
   * @param count how many clients, 1 to 1,000,000; each has a strategy, and so a budget, of its own
   * @param sharedBudget true: all of them share one strategy
   * @param load how often they call
   * @param timeout after which a client gives an attempt up, or null for none; the service does not
   *     learn of it. A policy with an attempt timeout has its own
   */
  public record Clients(int count, boolean sharedBudget, Load load, @Nullable Duration timeout) {
    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Clients {
      Require.between("count", count, 1, 1_000_000);
      Objects.requireNonNull(load, "load");
      if (timeout != null) {
        Require.positiveSpan("timeout", timeout);
      }
    }
  }

  /** The rate of calls. */
  public sealed interface Load {
    /**
     * Calls come whatever becomes of them (open loop): a Poisson process over all clients.
     *
     * @param steps the rate from each moment on; the first from 0, in order of time
     */
    record Open(List<Step> steps) implements Load {
      /** Copies the steps and checks their order. */
      public Open {
        steps = List.copyOf(steps);
        if (steps.isEmpty() || !steps.get(0).from().isZero()) {
          throw new InvalidSettingException("steps", steps, "must begin at 0");
        }
        for (int i = 1; i < steps.size(); i++) {
          Require.order("from", steps.get(i - 1).from(), "the next from", steps.get(i).from());
        }
      }
    }

    /**
     * Each client calls again when its last call has ended and it has thought about it (closed
     * loop).
     *
     * @param think mean, exponentially distributed; at least 0
     */
    record Closed(Duration think) implements Load {
      /** Checks the time. */
      public Closed {
        Require.span("think", think);
      }
    }
  }

  /**
   * A rate from a moment on.
   *
   * @param from at least 0
   * @param perSecond calls a second of all clients together, at least 0
   */
  public record Step(Duration from, double perSecond) {
    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Step {
      Require.span("from", from);
      Require.between("perSecond", perSecond, 0.0, 1e9);
    }
  }

  /**
   * Something between clients and service that retries by itself.
   *
   * @param name for the report
   * @param policy its own, or null for the policy that is tried
   * @param timeout of its attempts, or null for none
   */
  public record Layer(String name, @Nullable Policy policy, @Nullable Duration timeout) {
    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Layer {
      Objects.requireNonNull(name, "name");
      if (timeout != null) {
        Require.positiveSpan("timeout", timeout);
      }
    }
  }

  /**
   * The service that is called.
   *
   * @param servers how many requests are served at a time, 1 to 1,000,000; 0: all at once
   * @param time how long serving takes
   * @param queue where requests wait for a server
   * @param quota how much it accepts, or null for whatever comes
   * @param hint what it tells those that it refuses
   */
  public record Service(
      int servers, ServiceTime time, Queue queue, @Nullable Quota quota, Hint hint) {
    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Service {
      Require.between("servers", servers, 0, 1_000_000);
      Objects.requireNonNull(time, "time");
      Objects.requireNonNull(queue, "queue");
      Objects.requireNonNull(hint, "hint");
    }
  }

  /**
   * The time that serving takes.
   *
   * @param mean with one request in service, at least 0
   * @param perRequest added to the mean for each request that is in service or queued beside it, at
   *     least 0
   * @param shape how it is distributed
   */
  public record ServiceTime(Duration mean, Duration perRequest, Shape shape) {
    /** The distribution of a time around its mean. */
    public enum Shape {
      FIXED,
      EXPONENTIAL
    }

    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public ServiceTime {
      Require.span("mean", mean);
      Require.span("perRequest", perRequest);
      Objects.requireNonNull(shape, "shape");
    }
  }

  /**
   * The queue in which requests wait.
   *
   * @param order who is served next
   * @param bound how many may wait, at least 0; those beyond it are refused
   * @param dropsExpired true: the service does not serve a request whose client has given up
   */
  public record Queue(Order order, int bound, boolean dropsExpired) {
    /** The order in which requests are served. */
    public enum Order {
      FIFO,
      LIFO
    }

    /** First in, first out, without a bound. */
    public static final Queue UNBOUNDED = new Queue(Order.FIFO, Integer.MAX_VALUE, false);

    /** Checks the arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Queue {
      Objects.requireNonNull(order, "order");
      Require.between("bound", bound, 0, Integer.MAX_VALUE);
    }
  }
}
