package dev.reprise.lab.contention;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.lab.figure.ArrivalFigures;
import dev.reprise.lab.figure.BinCounter;
import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RangeCounts;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.kernel.Chance;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.lab.kernel.EventHeap;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.policy.Policy;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Runs clients that compete for one row under a policy: the model of the program behind the article
 * "Exponential Backoff And Jitter" (M. Brooker, 2015). Backoff and number of attempts are the
 * policy's; a budget is not used, because every conflict means that another client succeeded.
 *
 * <p>A write succeeds if no other write has succeeded since its read. So only writes are events,
 * and a client that fails needs one event for a whole attempt.
 */
public final class ContentionSimulation {
  private static final RetryInfo CONFLICT = () -> RetrySafety.YES;
  private static final long NEVER = Long.MAX_VALUE;
  private static final long NANOS_PER_MICRO = 1000;
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private final EventHeap heap;
  private final CounterRandom random;
  private final double hopMeanNanos;
  private final double hopDeviationNanos;
  private final long[] endedNanos;
  private final BinCounter writes = new BinCounter();
  private final BinCounter commits = new BinCounter();
  private final BinCounter conflicts = new BinCounter();
  private final RangeCounts attempts = new RangeCounts();
  private final RangeCounts delays = new RangeCounts();

  /** The time of the last change of the row; before the start at first. */
  private long committedNanos = -1;

  private ContentionSimulation(ContentionModel model, long seed) {
    // Of the writes at one moment one succeeds, so the run ends with any of them.
    this.heap = new EventHeap(Long.MAX_VALUE);
    this.random = new CounterRandom(seed);
    this.hopMeanNanos = model.hopMean().toNanos();
    this.hopDeviationNanos = model.hopDeviation().toNanos();
    this.endedNanos = new long[model.clients()];
  }

  /** Returns what one run gave; the same arguments always give the same. */
  public static RunRecord run(ContentionModel model, Policy policy, long seed) {
    RetryPolicy decides = policy.toRetryPolicy();
    return run(model, client -> decides, seed);
  }

  /**
   * Runs clients that need not all have the same policy.
   *
   * @param policies asked once for each client, counted from 0
   */
  static RunRecord run(ContentionModel model, IntFunction<RetryPolicy> policies, long seed) {
    ContentionSimulation run = new ContentionSimulation(model, seed);
    for (int client = 0; client < model.clients(); client++) {
      run.new Client(client, policies.apply(client)).start();
    }
    run.heap.runUntil(Long.MAX_VALUE);
    return run.record(seed);
  }

  private RunRecord record(long seed) {
    long[] waitsNanos = waitsNanos();
    long endNanos = waitsNanos.length == 0 ? heap.nowNanos() : waitsNanos[waitsNanos.length - 1];
    RangeCounts waits = new RangeCounts();
    for (long waitNanos : waitsNanos) {
      waits.add(waitNanos / NANOS_PER_MICRO);
    }
    return new RunRecord(
        seed,
        figures(waitsNanos, endNanos / NANOS_PER_SECOND),
        List.of(
            writes.perSecond(Series.ARRIVALS, "/s", endNanos),
            commits.perSecond(Series.SUCCESSES, "/s", endNanos),
            conflicts.perSecond(Series.FAILURES, "/s", endNanos)),
        List.of(
            attempts.distribution(Distribution.ATTEMPTS, "", 1),
            delays.distribution(Distribution.DELAYS, "s", MICROS_PER_SECOND),
            waits.distribution(Distribution.WAITS, "s", MICROS_PER_SECOND)),
        heap.occurred());
  }

  /** Returns when those had their success that had one, in order. */
  private long[] waitsNanos() {
    return Arrays.stream(endedNanos).filter(at -> at != NEVER).sorted().toArray();
  }

  private Map<Figure, Double> figures(long[] waitsNanos, double endSeconds) {
    int clients = endedNanos.length;
    double written = heap.occurred();
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.DRAIN_P50, waitSeconds(waitsNanos, 0.5));
    figures.put(Figure.DRAIN_P90, waitSeconds(waitsNanos, 0.9));
    figures.put(Figure.DRAIN_P99, waitSeconds(waitsNanos, 0.99));
    figures.put(Figure.DRAIN_P999, waitSeconds(waitsNanos, 0.999));
    figures.put(Figure.DRAIN_LAST, waitSeconds(waitsNanos, 1));
    figures.put(Figure.ATTEMPTS, written / clients);
    figures.put(Figure.SUCCESS, (double) waitsNanos.length / clients);
    figures.put(Figure.STRANDED, (double) clients - waitsNanos.length);
    figures.put(Figure.WASTED_WORK, (written - waitsNanos.length) / written);
    ArrivalFigures arrivals = new ArrivalFigures(writes.bins(), 0, endSeconds, figures);
    arrivals.peaks(written);
    arrivals.rhythm(false);
    return figures;
  }

  /** Returns when a share of all clients had succeeded; infinite when so many never did. */
  private double waitSeconds(long[] waitsNanos, double share) {
    int rank = (int) Math.ceil(share * endedNanos.length);
    return rank > waitsNanos.length
        ? Double.POSITIVE_INFINITY
        : waitsNanos[rank - 1] / NANOS_PER_SECOND;
  }

  private long hopNanos() {
    return Math.round(Math.abs(hopMeanNanos + hopDeviationNanos * Chance.gaussian(random)));
  }

  /** One client; the event is that its write reaches the server. */
  private final class Client implements EventHeap.Event {
    private final int index;
    private final RetryPolicy policy;
    private int writesMade;
    private long readNanos;

    Client(int index, RetryPolicy policy) {
      this.index = index;
      this.policy = policy;
    }

    void start() {
      random.at(index, 0);
      attemptAfter(0);
    }

    /** Reads and writes again; {@code delayNanos} after the present moment the client sets out. */
    private void attemptAfter(long delayNanos) {
      long toServer = delayNanos + hopNanos();
      readNanos = heap.nowNanos() + toServer;
      heap.schedule(toServer + hopNanos() + hopNanos(), this);
    }

    @Override
    public void occur() {
      long now = heap.nowNanos();
      writesMade++;
      writes.add(now);
      random.at(index, writesMade);
      long answered = hopNanos();
      if (readNanos >= committedNanos) {
        committedNanos = now;
        commits.add(now);
        end(now + answered);
        return;
      }
      conflicts.add(now);
      RetryDecision decision =
          policy.decide(writesMade - 1, CONFLICT, false, Long.MAX_VALUE, random);
      if (decision instanceof RetryDecision.Retry retry) {
        delays.add(retry.delayNanos() / NANOS_PER_MICRO);
        attemptAfter(answered + retry.delayNanos());
      } else {
        end(NEVER);
      }
    }

    private void end(long atNanos) {
      endedNanos[index] = atNanos;
      attempts.add(writesMade);
    }
  }
}
