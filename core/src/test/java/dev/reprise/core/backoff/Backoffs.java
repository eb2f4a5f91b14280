package dev.reprise.core.backoff;

import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Legal backoffs of every kind, the smallest and the largest of each among them. */
final class Backoffs {
  private Backoffs() {}

  /** Where powers of two leave an int, a double's 53 bits, a long, and a double's exponent. */
  static Arbitrary<Integer> retries() {
    return Arbitraries.oneOf(
        Arbitraries.integers().between(1, 70),
        Arbitraries.of(30, 31, 32, 33, 52, 53, 54, 62, 63, 64, 65, 1_023, 1_024, 1_025, 1_026),
        Arbitraries.of(Integer.MAX_VALUE - 1, Integer.MAX_VALUE),
        Arbitraries.integers().between(1, Integer.MAX_VALUE));
  }

  /** Nanoseconds to centuries, with as many short ones as long ones. */
  static Arbitrary<Duration> durations() {
    return Arbitraries.oneOf(
            Arbitraries.longs().between(0, 10),
            Arbitraries.longs().between(0, 1_000_000),
            Arbitraries.longs().between(0, 60_000_000_000L),
            Arbitraries.longs().between(0, Long.MAX_VALUE))
        .map(Duration::ofNanos);
  }

  /** Backoffs whose longest delay never falls from one retry to the next. */
  static Arbitrary<Backoff> growing() {
    Arbitrary<Backoff> formula =
        Arbitraries.oneOf(
            durations().map(Backoff::fixed),
            exponential(),
            linear(),
            staged(),
            decorrelated(),
            exponentialWithJitter(),
            truncated());
    return Arbitraries.oneOf(formula, decorated(formula), decorated(decorated(formula)));
  }

  static Arbitrary<Backoff> all() {
    Arbitrary<Backoff> sequence =
        Combinators.combine(growing(), Arbitraries.integers().between(1, 100), growing())
            .as(Backoff::then);
    return Arbitraries.oneOf(
        growing(), growing(), sequence, decorated(sequence), growing().map(Backoff::withFirstFast));
  }

  static Arbitrary<Backoff> exponential() {
    Arbitrary<Double> factor =
        Arbitraries.oneOf(
            Arbitraries.just(2.0), Arbitraries.doubles().between(1.02, 4), Arbitraries.just(1.0));
    return Combinators.combine(durations(), factor, durations())
        .as((a, f, b) -> Backoff.exponential(shorter(a, b), f, longer(a, b)));
  }

  private static Arbitrary<Backoff> linear() {
    return Combinators.combine(durations(), durations(), durations())
        .as((a, step, b) -> Backoff.linear(shorter(a, b), step, longer(a, b)));
  }

  private static Arbitrary<Backoff> decorrelated() {
    return Combinators.combine(durations(), durations())
        .as((a, b) -> Backoff.decorrelatedJitter(shorter(a, b), longer(a, b)));
  }

  private static Arbitrary<Backoff> truncated() {
    return Combinators.combine(durations(), Arbitraries.of(AtCap.values()))
        .as(Backoff::truncatedExponential);
  }

  static Arbitrary<ExponentialBackoffWithJitter> exponentialWithJitter() {
    Arbitrary<Double> share = Arbitraries.doubles().between(0, 1);
    return Combinators.combine(
            durations(), durations(), durations(), share, share, Arbitraries.of(AtCap.values()))
        .as(
            (interval, a, b, c, d, atCap) ->
                ExponentialBackoffWithJitter.builder()
                    .interval(interval)
                    .delays(shorter(a, b), longer(a, b))
                    .jitter(Math.max(c, d), Math.min(c, d))
                    .atCap(atCap)
                    .build());
  }

  private static Arbitrary<Backoff> staged() {
    Arbitrary<Integer> count = Arbitraries.integers().between(0, 100);
    Arbitrary<Duration> millis =
        Arbitraries.longs().between(0, Long.MAX_VALUE / 1_000_000).map(Duration::ofMillis);
    return Combinators.combine(
            count, count, count, millis, millis, Arbitraries.of(BackoffFunction.values()))
        .as(
            (noDelay, min, growing, a, b, function) ->
                new StagedBackoff(noDelay, min, growing, 1, shorter(a, b), longer(a, b), function));
  }

  private static Arbitrary<Backoff> decorated(Arbitrary<Backoff> backoff) {
    return Arbitraries.oneOf(
        backoff.map(Backoff::withFullJitter),
        backoff.map(Backoff::withEqualJitter),
        Combinators.combine(backoff, Arbitraries.doubles().between(0, 1)).as(Backoff::withJitter),
        Combinators.combine(backoff, durations()).as(Backoff::withCap));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? b : a;
  }
}
