package dev.reprise.lab.calls;

import dev.reprise.lab.figure.BinCounter;
import dev.reprise.lab.figure.RangeCounts;
import dev.reprise.lab.scenario.CallModel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Counts the events of a run. Figures of a call are measured for the calls that begin after the
 * warm-up; what belongs to the service, from the end of the warm-up until the model's duration is
 * over. The series have all of it.
 */
final class CallTally {
  /** The duration of a call that had not ended when the run was cut off. */
  static final long NEVER = Long.MAX_VALUE;

  private static final long NANOS_PER_MICRO = 1000;
  private static final double NANOS_PER_SECOND = 1e9;

  final BinCounter offered = new BinCounter();
  final BinCounter attempts = new BinCounter();
  final BinCounter successes = new BinCounter();
  final BinCounter failures = new BinCounter();
  final BinCounter levels = new BinCounter();
  final RangeCounts attemptsOfCalls = new RangeCounts();
  final RangeCounts delaysMicros = new RangeCounts();
  final RangeCounts waitsMicros = new RangeCounts();
  final LoadSteps steps;
  private final long fromNanos;
  private final long toNanos;

  private long begun;
  private long ended;
  private long measuredSuccesses;
  private long measuredFailures;
  private long measuredBegun;
  private long measuredAttempts;
  private long[] latenciesNanos = new long[1024];

  private double work;
  private double wastedWork;
  private long goodSuccesses;
  private long lastSuccessNanos;
  private double squaredGaps;

  private int level;
  private long levelSinceNanos;
  private double levelIntegral;
  private long endNanos;

  CallTally(CallModel model) {
    this.fromNanos = model.warmUp().toNanos();
    this.toNanos = model.duration().toNanos();
    this.steps = new LoadSteps(model.clients().load());
    this.lastSuccessNanos = fromNanos;
  }

  void began(long nowNanos) {
    offered.add(nowNanos);
    begun++;
    steps.began(nowNanos);
    if (nowNanos >= fromNanos) {
      measuredBegun++;
    }
  }

  /** Counts an attempt to reach the service for a call. */
  void attempted(ClientCall call) {
    call.serviceAttempts++;
    if (isMeasured(call)) {
      measuredAttempts++;
    }
  }

  /** An attempt reaches the service, or would if it could. */
  void arrived(long nowNanos) {
    attempts.add(nowNanos);
  }

  void retried(SimulatedCall call, long delayNanos) {
    if (isMeasured(call.root())) {
      delaysMicros.add(delayNanos / NANOS_PER_MICRO);
    }
  }

  /** Counts an answer of the service, whether a client still waits for it or not. */
  void answered(CallAttempt attempt, @Nullable CallFailure failure, long nowNanos) {
    boolean isOfUse = failure == null && attempt.isAwaited();
    if (nowNanos >= fromNanos && nowNanos < toNanos) {
      work += attempt.work;
      if (!isOfUse) {
        wastedWork += attempt.work;
      }
    }
    if (!attempt.isGivenUp()) {
      (isOfUse ? successes : failures).add(nowNanos);
    }
  }

  /** Counts a timeout of an attempt. */
  void gaveUp(long nowNanos) {
    failures.add(nowNanos);
  }

  void level(int newLevel, long nowNanos) {
    levels.add(levelSinceNanos, nowNanos, level / NANOS_PER_SECOND);
    long start = Math.max(levelSinceNanos, fromNanos);
    long end = Math.min(nowNanos, toNanos);
    levelIntegral += (double) level * Math.max(0, end - start);
    level = newLevel;
    levelSinceNanos = nowNanos;
  }

  void ended(ClientCall call, boolean succeeded, long nowNanos) {
    ended++;
    if (succeeded) {
      succeeded(call, nowNanos);
    }
    if (!isMeasured(call)) {
      return;
    }
    long latencyNanos = nowNanos - call.startNanos;
    addLatency(latencyNanos);
    attemptsOfCalls.add(call.serviceAttempts);
    if (succeeded) {
      measuredSuccesses++;
      waitsMicros.add(latencyNanos / NANOS_PER_MICRO);
    } else {
      measuredFailures++;
    }
  }

  private void succeeded(ClientCall call, long nowNanos) {
    steps.succeeded(call.startNanos);
    if (nowNanos >= fromNanos && nowNanos < toNanos) {
      goodSuccesses++;
      addGap(nowNanos);
    }
  }

  private void addGap(long nowNanos) {
    double gap = (double) nowNanos - lastSuccessNanos;
    squaredGaps += gap * gap;
    lastSuccessNanos = nowNanos;
  }

  private void addLatency(long latencyNanos) {
    int count = Math.toIntExact(measuredSuccesses + measuredFailures);
    if (count == latenciesNanos.length) {
      latenciesNanos = Arrays.copyOf(latenciesNanos, 2 * count);
    }
    latenciesNanos[count] = latencyNanos;
  }

  /** The run is over. */
  void close(long nowNanos) {
    endNanos = Math.max(nowNanos, toNanos);
    level(level, endNanos);
    addGap(toNanos);
  }

  private boolean isMeasured(ClientCall call) {
    return call.startNanos >= fromNanos;
  }

  /** Returns how many calls have begun and not ended. */
  long going() {
    return begun - ended;
  }

  long begun() {
    return begun;
  }

  long measuredBegun() {
    return measuredBegun;
  }

  long measuredSuccesses() {
    return measuredSuccesses;
  }

  /** Returns how many of the measured calls gave up. */
  long measuredFailures() {
    return measuredFailures;
  }

  /** Returns the attempts to reach the service, of all measured calls. */
  long measuredAttempts() {
    return measuredAttempts;
  }

  /** Returns how long each measured call took, in order; {@link #NEVER} for those that go on. */
  long[] sortedLatenciesNanos() {
    int count = Math.toIntExact(measuredSuccesses + measuredFailures);
    long[] sorted = Arrays.copyOf(latenciesNanos, Math.toIntExact(measuredBegun));
    Arrays.fill(sorted, count, sorted.length, NEVER);
    Arrays.sort(sorted);
    return sorted;
  }

  /** Returns the work of the service, in services of mean length. */
  double work() {
    return work;
  }

  /** Returns the part of the work whose result was not used. */
  double wastedWork() {
    return wastedWork;
  }

  /** Returns how many calls succeeded in the time that is measured, whenever they began. */
  long goodSuccesses() {
    return goodSuccesses;
  }

  /** Returns the sum of the squares of the times from one success of a call to the next. */
  double squaredGaps() {
    return squaredGaps;
  }

  /** Returns how many requests were at the service on average, waiting and served. */
  double meanLevel() {
    return levelIntegral / (toNanos - fromNanos);
  }

  /** Returns when the last call had ended, or the model's duration if that was later. */
  long endNanos() {
    return endNanos;
  }

  /** Returns the end of the warm-up. */
  long fromNanos() {
    return fromNanos;
  }

  /** Returns the model's duration. */
  long toNanos() {
    return toNanos;
  }
}
