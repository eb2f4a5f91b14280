package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CubicRateLimiterTest {
  private static final Offset<Double> EXACT = within(1e-9);
  private static final Offset<Double> PRINTED = within(6e-7);
  private static final long SECOND = 1_000_000_000L;

  private final ManualClock clock = new ManualClock();
  private final CubicRateLimiter limiter = new CubicRateLimiter(clock);

  @ParameterizedTest
  @CsvSource({"10, 1.9574338205844317", "8, 1.8171205928321397"})
  void timeToRecover(double lastMax, double seconds) {
    assertThat(CubicRateLimiter.secondsToRecover(lastMax)).isCloseTo(seconds, EXACT);
  }

  @ParameterizedTest
  @CsvSource({
    "5, 7.0",
    "6, 9.64893600966",
    "7, 10.000030849917364",
    "8, 10.453284520772092",
    "9, 13.408697022224185",
    "10, 21.26626835427364",
    "11, 36.425998516920465"
  })
  void rateAfterSuccesses(int second, double rate) {
    assertThat(CubicRateLimiter.grownRate(10, second - 5)).isCloseTo(rate, EXACT);
  }

  @Test
  void rateAfterSuccessesAndThrottles() {
    List<Double> rates = new ArrayList<>();
    double lastMax = 10;
    int lastThrottle = 5;
    for (int second = 5; second <= 12; second++) {
      if (second == 7 || second == 8) {
        lastMax = rates.get(rates.size() - 1);
        lastThrottle = second;
        rates.add(CubicRateLimiter.reducedRate(lastMax));
      } else {
        rates.add(CubicRateLimiter.grownRate(lastMax, second - lastThrottle));
      }
    }

    assertThat(rates)
        .usingElementComparator((a, b) -> Math.abs(a - b) < 1e-9 ? 0 : Double.compare(a, b))
        .containsExactly(
            7.0,
            9.64893600966,
            6.754255206761999,
            4.727978644733399,
            6.606547753887045,
            6.763279816944947,
            7.598174833907107,
            11.511232804773524);
  }

  @Test
  void measuredAndAllowedRateFromTheFirstCallOn() {
    double[][] secondMeasuredAllowed = {
      {0.2, 0, 0.5},
      {0.4, 0, 0.5},
      {0.6, 4.8, 0.5},
      {0.8, 4.8, 0.5},
      {1.0, 4.16, 0.5},
      {1.2, 4.16, 0.6912},
      {1.4, 4.16, 1.0976},
      {1.6, 5.632, 1.6384},
      {1.8, 5.632, 2.3328},
      {2.0, 4.3264, 3.02848},
      {2.2, 4.3264, 3.486639},
      {2.4, 4.3264, 3.821874},
      {2.6, 5.66528, 4.053386},
      {2.8, 5.66528, 4.200373},
      {3.0, 4.333056, 4.282037},
      {3.2, 4.333056, 2.997426},
      {3.4, 4.333056, 3.452226}
    };
    for (double[] row : secondMeasuredAllowed) {
      clock.at(row[0]);
      boolean throttled = row[0] == 2.0 || row[0] == 3.2;
      if (throttled) {
        limiter.onThrottle();
      } else {
        limiter.onSuccess();
      }

      assertThat(limiter.measuredPerSecond())
          .as("measured at " + row[0])
          .isCloseTo(row[1], PRINTED);
      assertThat(limiter.permitsPerSecond()).as("allowed at " + row[0]).isCloseTo(row[2], PRINTED);
      assertThat(limiter.isEnabled()).isEqualTo(row[0] >= 2.0);
    }
  }

  @Test
  void oneCallAtTheFirstSecond() {
    clock.at(1);
    limiter.onSuccess();

    assertThat(limiter.measuredPerSecond()).isCloseTo(0.8, EXACT);
  }

  @Test
  void aCallPerSecondIsMeasuredAsThat() {
    for (int second = 1; second <= 20; second++) {
      clock.at(second);
      limiter.onSuccess();
    }

    assertThat(limiter.measuredPerSecond()).isCloseTo(1.0, within(1e-6));
  }

  @Test
  void callsOfOneHalfSecondAreMeasuredTogether() {
    for (double second : new double[] {0, 0.1, 0.2, 0.3, 0.4, 0.5}) {
      clock.at(second);
      limiter.onSuccess();
    }

    assertThat(limiter.measuredPerSecond()).isCloseTo(9.6, EXACT);
  }

  @Test
  void otherFailuresAreMeasuredAndDoNotLetTheRateGrow() {
    limiter.onThrottle();
    double before = limiter.permitsPerSecond();
    for (int call = 1; call <= 100; call++) {
      clock.at(call * 0.1);
      limiter.onOtherFailure();
    }

    assertThat(limiter.permitsPerSecond()).isEqualTo(before);
    assertThat(limiter.measuredPerSecond()).isCloseTo(10, within(0.5));
  }

  @Test
  void aDeniedCallTakesNothing() {
    limiter.onThrottle();
    clock.at(0.1);

    for (int caller = 0; caller < 10; caller++) {
      assertThat(limiter.tryAcquire()).isFalse();
      assertThat(limiter.waitNanosOfNext()).isEqualTo(1_900_000_000L);
      assertThat(limiter.capacity()).isCloseTo(0.05, EXACT);
    }
    clock.at(2.1);
    assertThat(limiter.tryAcquire()).isTrue();
    assertThat(limiter.capacity()).isEqualTo(0);
  }

  @Test
  void aPermitShortOfARoundingErrorIsOne() {
    limiter.onThrottle();
    // 2 s bring one permit; a nanosecond less brings half a billionth less.
    clock.at(2).advanceNanos(-1);

    assertThat(limiter.waitNanosOfNext()).isZero();
    assertThat(limiter.tryAcquire()).isTrue();
    assertThat(limiter.capacity()).isZero();
  }

  @Test
  void waitersAreServedInTheOrderOfTheirNumbers() {
    limiter.onThrottle();
    long first = limiter.enqueue();
    long second = limiter.enqueue();
    long third = limiter.enqueue();

    assertThat(limiter.waitNanosOf(first)).isEqualTo(2 * SECOND);
    assertThat(limiter.waitNanosOf(second)).isEqualTo(4 * SECOND);
    assertThat(limiter.waitNanosOf(third)).isEqualTo(6 * SECOND);

    clock.at(2);
    assertThat(limiter.waitNanosOf(third)).isEqualTo(4 * SECOND);
    assertThat(limiter.waitNanosOf(second)).isEqualTo(2 * SECOND);
    assertThat(limiter.waitNanosOf(first)).isZero();
    assertThat(limiter.capacity()).isZero();
  }

  @Test
  void nobodyOvertakesTheWaiting() {
    limiter.onThrottle();
    long waiting = limiter.enqueue();
    clock.at(2);

    assertThat(limiter.tryAcquire()).isFalse();
    assertThat(limiter.waitNanosOf(waiting)).isZero();
  }

  @Test
  void aNewRateActsOnThoseWhoWait() {
    limiter.onThrottle();
    List<Long> tickets = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      tickets.add(limiter.enqueue());
    }
    long last = tickets.get(9);
    assertThat(limiter.waitNanosOf(last)).isEqualTo(20 * SECOND);

    for (int call = 1; call <= 40; call++) {
      clock.at(call * 0.1);
      limiter.onSuccess();
    }

    // At the old rate 16 s would be left; by now it is 20 calls a second.
    assertThat(limiter.permitsPerSecond()).isGreaterThan(10);
    assertThat(limiter.waitNanosOf(last)).isLessThan(SECOND);
  }

  @Test
  void whoLeavesTheQueueFreesHisPlaceAtOnce() {
    limiter.onThrottle();
    long first = limiter.enqueue();
    long second = limiter.enqueue();
    long third = limiter.enqueue();

    assertThat(limiter.leave(second)).isTrue();
    assertThat(limiter.waitNanosOf(third)).isEqualTo(4 * SECOND);
    assertThat(limiter.leave(first)).isTrue();
    assertThat(limiter.waitNanosOf(third)).isEqualTo(2 * SECOND);

    clock.at(2);
    assertThat(limiter.waitNanosOf(third)).isZero();
    assertThat(limiter.leave(third)).isFalse();
  }

  @Test
  void aPermitThatIsGivenBackGoesToTheNext() {
    limiter.onThrottle();
    long first = limiter.enqueue();
    long second = limiter.enqueue();
    clock.at(2);
    assertThat(limiter.waitNanosOf(first)).isZero();

    limiter.giveBack();

    assertThat(limiter.waitNanosOf(second)).isZero();
    assertThat(limiter.capacity()).isZero();
  }

  @Test
  void anIdleLimiterSavesUpOnlyItsCapacity() {
    limiter.onThrottle();
    clock.at(1000);
    limiter.enqueue();

    assertThat(limiter.capacity()).isZero();
    assertThat(limiter.tryAcquire()).isFalse();
  }

  /** Whatever happens: permits between 0 and the burst, order kept, and no faster than the rate. */
  @Property
  void boundsHold(@ForAll long seed) {
    Random random = new Random(seed);
    ManualClock time = new ManualClock(random.nextLong());
    CubicRateLimiter any = new CubicRateLimiter(time);
    any.onThrottle();
    List<Long> waiting = new ArrayList<>();
    double allowed = 1;
    for (int step = 0; step < 200; step++) {
      double rate = any.permitsPerSecond();
      long passed = (long) (random.nextDouble() * 1e9);
      time.advanceNanos(passed);
      allowed += rate * passed / 1e9;
      int served = 0;
      switch (random.nextInt(6)) {
        case 0 -> any.onThrottle();
        case 1 -> any.onSuccess();
        case 2 -> any.onOtherFailure();
        case 3 -> served += any.tryAcquire() ? 1 : 0;
        case 4 -> {
          if (!waiting.isEmpty() && any.leave(waiting.get(0))) {
            waiting.remove(0);
          }
        }
        default -> waiting.add(any.enqueue());
      }
      long longest = -1;
      for (long ticket : List.copyOf(waiting)) {
        long wait = any.waitNanosOf(ticket);
        assertThat(wait).isGreaterThanOrEqualTo(longest);
        longest = Math.max(wait, longest);
        if (wait == 0) {
          waiting.remove((Object) ticket);
          served++;
        }
      }
      allowed -= served;
      assertThat(allowed).isGreaterThan(-1e-6);
      assertThat(any.capacity()).isBetween(0.0, Math.max(1, any.permitsPerSecond()));
    }
  }
}
