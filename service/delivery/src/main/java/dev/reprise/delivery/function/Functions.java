package dev.reprise.delivery.function;

import dev.reprise.core.RetryInfo;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.CarrierFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls functions of this process, each attempt on a thread of its own, at most {@value
 * #MAX_IN_FLIGHT} at the same time. A function's own error is distinguished from what this process
 * could not do. Safe for use by many threads.
 */
public final class Functions implements AutoCloseable {
  /** The most calls at the same time. */
  static final int MAX_IN_FLIGHT = 64;

  private static final Logger LOG = LoggerFactory.getLogger(Functions.class);
  private static final Duration NO_THREAD = Duration.ofMillis(100);
  private static final int MAX_SUMMARY_CHARS = 200;
  private static final byte[] NO_RESPONSE = {};

  private final Map<String, DeliveryFunction> functions = new TreeMap<>();
  private final AtomicInteger threads = new AtomicInteger();
  private final ThreadPoolExecutor pool =
      new ThreadPoolExecutor(
          0, MAX_IN_FLIGHT, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), this::thread);
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, this::thread);

  /** Functions whose names differ. */
  public Functions(Iterable<? extends DeliveryFunction> all) {
    for (DeliveryFunction function : all) {
      if (functions.put(function.name(), function) != null) {
        throw new IllegalArgumentException("two functions are called " + function.name());
      }
    }
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Returns those on the class path. */
  public static Functions ofThisProgram() {
    return new Functions(ServiceLoader.load(DeliveryFunction.class));
  }

  private Thread thread(Runnable work) {
    Thread thread = new Thread(work, "reprise-function-" + threads.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }

  /** Returns the names of all functions. */
  public List<String> names() {
    return List.copyOf(functions.keySet());
  }

  /**
   * Calls a function. Returns at once; {@code done} is called once, on any thread.
   *
   * @param mayBegin asked by the thread that makes the call, right before
   */
  public void call(
      String name,
      FunctionMessage message,
      Duration timeout,
      BooleanSupplier mayBegin,
      Consumer<AttemptOutcome> done) {
    DeliveryFunction function = functions.get(name);
    if (function == null) {
      done.accept(
          new AttemptOutcome(
              CarrierFailure.PERMANENT,
              0,
              "no function '" + name + "' in this process",
              "",
              NO_RESPONSE,
              0));
      return;
    }
    long started = System.nanoTime();
    AtomicBoolean over = new AtomicBoolean();
    AtomicReference<@Nullable Future<?>> call = new AtomicReference<>();
    Future<?> limit =
        timer.schedule(
            () -> {
              if (over.compareAndSet(false, true)) {
                Future<?> late = call.get();
                if (late != null) {
                  late.cancel(true);
                }
                String summary =
                    "function '" + name + "' took longer than " + timeout.toMillis() + " ms";
                done.accept(outcome(CarrierFailure.TIMEOUT, summary, started));
              }
            },
            timeout.toNanos(),
            TimeUnit.NANOSECONDS);
    try {
      Future<?> running =
          pool.submit(
              () -> {
                AttemptOutcome outcome =
                    mayBegin.getAsBoolean()
                        ? outcomeOf(function, message, started)
                        : AttemptOutcome.MAY_NOT_BEGIN;
                if (over.compareAndSet(false, true)) {
                  limit.cancel(false);
                  done.accept(outcome);
                }
              });
      call.set(running);
      if (over.get()) {
        // Its time was up before it could be cancelled; one that has returned is left alone.
        running.cancel(true);
      }
    } catch (RejectedExecutionException e) {
      limit.cancel(false);
      if (over.compareAndSet(false, true)) {
        done.accept(
            AttemptOutcome.givenBack(
                "all " + MAX_IN_FLIGHT + " threads for functions are in use", NO_THREAD));
      }
    }
  }

  private static AttemptOutcome outcomeOf(
      DeliveryFunction function, FunctionMessage message, long started) {
    try {
      function.call(message);
      return outcome(null, "function returned", started);
    } catch (InterruptedException e) {
      return outcome(CarrierFailure.TRANSIENT, "function was interrupted", started);
    } catch (Exception e) {
      RetryInfo failure = e instanceof RetryInfo info ? info : CarrierFailure.TRANSIENT;
      return outcome(failure, "function failed: " + e, started);
    } catch (Error e) {
      LOG.error("function {} failed", function.name(), e);
      return outcome(CarrierFailure.TRANSIENT, "function failed: " + e, started);
    }
  }

  private static AttemptOutcome outcome(@Nullable RetryInfo failure, String summary, long started) {
    String line = summary.replaceAll("\\p{Cntrl}", " ");
    return new AttemptOutcome(
        failure,
        0,
        line.length() <= MAX_SUMMARY_CHARS ? line : line.substring(0, MAX_SUMMARY_CHARS),
        "",
        NO_RESPONSE,
        System.nanoTime() - started);
  }

  @Override
  public void close() {
    pool.shutdownNow();
    timer.shutdownNow();
  }
}
