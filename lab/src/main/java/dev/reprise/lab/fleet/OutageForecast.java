package dev.reprise.lab.fleet;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.policy.Policy;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The effect of an outage of one endpoint on the messages that are published for it meanwhile: each
 * is attempted at once, and again as the policy says, until the endpoint is back or the policy
 * gives up. The endpoint takes whatever comes after the outage, an attempt takes no time, and
 * nothing paces attempts but the policy; a service that spares a failing endpoint makes fewer.
 *
 * <p>Of all messages a sample is followed, evenly spread over the outage, so that the cost has a
 * bound whatever the rate is. The same arguments give the same forecast.
 *
 * @param outage how long the endpoint is away, from the start
 * @param ratePerSecond messages published a second, before, during and after the outage
 * @param published messages published during the outage
 * @param delivered of these, those that are delivered after it
 * @param givenUp of these, those that the policy gives up
 * @param attempts for each of these on average
 * @param mostAttempts of any of these
 * @param lastDeliverySeconds from the end of the outage until the last of them is delivered, or
 *     null when none is
 * @param binSeconds the width of the bins of the series
 * @param attemptsPerSecond of all messages, those that are published later too
 * @param backlog messages that wait for another attempt, at the end of each bin
 * @param givenUpSoFar messages that were given up until the end of each bin
 */
public record OutageForecast(
    Duration outage,
    double ratePerSecond,
    double published,
    double delivered,
    double givenUp,
    double attempts,
    int mostAttempts,
    @Nullable Double lastDeliverySeconds,
    double binSeconds,
    double[] attemptsPerSecond,
    double[] backlog,
    double[] givenUpSoFar) {
  /** The longest outage that is looked at. */
  public static final Duration MAX_OUTAGE = Duration.ofDays(7);

  /** The highest rate of messages. */
  public static final double MAX_RATE = 1_000_000;

  private static final int BINS = 240;
  private static final int MAX_SAMPLE = 4_000;
  private static final int MIN_SAMPLE = 40;

  /** Attempts that are followed in all, about. */
  private static final int WORK = 2_000_000;

  private static final int MAX_ATTEMPTS = 100_000;

  /** A little of the time before and after is shown beside what happens. */
  private static final double SHOWN_AFTER = 1.15;

  /**
   * Returns the forecast for a policy.
   *
   * @param outage from 1 s to {@link #MAX_OUTAGE}
   * @param ratePerSecond more than 0, at most {@link #MAX_RATE}
   * @throws IllegalArgumentException when an argument is out of its bounds, or the policy makes so
   *     many attempts that they cannot be followed
   * @throws CancellationException when the thread is interrupted
   */
  public static OutageForecast of(Policy policy, Duration outage, double ratePerSecond) {
    if (outage.compareTo(Duration.ofSeconds(1)) < 0 || outage.compareTo(MAX_OUTAGE) > 0) {
      throw new InvalidSettingException("outage", outage, "must be from 1 s to 7 days");
    }
    if (!(ratePerSecond > 0 && ratePerSecond <= MAX_RATE)) {
      throw new InvalidSettingException(
          "rate", ratePerSecond + "/s", "must be more than 0/s and at most 1000000/s");
    }
    DevicePolicy decides = DevicePolicy.of(policy);
    long outageNanos = outage.toNanos();
    Message first = new Message(decides, outageNanos, 0, 0);
    first.follow(Recorder.NONE);
    int sample = Math.max(MIN_SAMPLE, Math.min(MAX_SAMPLE, WORK / first.made));

    // Once to learn when the last one is delivered, and again to count in bins that reach it.
    long lastNanos = -1;
    for (int i = 0; i < sample; i++) {
      Message message = new Message(decides, outageNanos, i, sample);
      message.follow(Recorder.NONE);
      lastNanos = Math.max(lastNanos, message.deliveredNanos);
    }
    double endSeconds = Math.max(outageNanos * SHOWN_AFTER, lastNanos * 1.02) / 1e9;
    Counts counts = new Counts(endSeconds / BINS);
    for (int i = 0; i < sample; i++) {
      Message message = new Message(decides, outageNanos, i, sample);
      message.follow(counts::attempted);
      counts.ended(message);
    }
    return counts.forecast(outage, ratePerSecond, sample, lastNanos);
  }

  /** Is told of each attempt. */
  @FunctionalInterface
  private interface Recorder {
    Recorder NONE = nanos -> {};

    void attempted(long nanos);
  }

  /** One message, followed from its first attempt to its end. */
  private static final class Message {
    private final DevicePolicy policy;
    private final long outageNanos;
    private final int index;
    private final long publishedNanos;
    private int made;
    private long deliveredNanos = -1;
    private long givenUpNanos = -1;

    Message(DevicePolicy policy, long outageNanos, int index, int sample) {
      this.policy = policy;
      this.outageNanos = outageNanos;
      this.index = index;
      this.publishedNanos =
          sample == 0 ? 0 : (long) ((index + 0.5) / sample * (double) outageNanos);
    }

    void follow(Recorder recorder) {
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted");
      }
      CounterRandom random = new CounterRandom(1);
      RetryBudget budget = policy.budget() == null ? null : policy.budget().newBudget();
      long now = publishedNanos;
      while (now < outageNanos) {
        recorder.attempted(now);
        long delay =
            policy.delayNanos(
                made,
                AttemptFailure.CONNECTION,
                budget,
                now - publishedNanos,
                now,
                random.at(index, made + 1L));
        made++;
        if (delay == DevicePolicy.STOP) {
          givenUpNanos = now;
          return;
        }
        if (made == MAX_ATTEMPTS) {
          throw new IllegalArgumentException(
              "policy makes more than "
                  + MAX_ATTEMPTS
                  + " attempts in the outage: must wait longer between them");
        }
        now += delay;
      }
      recorder.attempted(now);
      made++;
      deliveredNanos = now;
    }
  }

  /** Counts of the sample, in bins. */
  private static final class Counts {
    private final double binSeconds;
    private final double[] attempts = new double[BINS];
    private final double[] published = new double[BINS];
    private final double[] ended = new double[BINS];
    private final double[] givenUp = new double[BINS];
    private long made;
    private int most;
    private int delivered;

    Counts(double binSeconds) {
      this.binSeconds = binSeconds;
    }

    private int bin(long nanos) {
      return Math.min(BINS - 1, (int) (nanos / 1e9 / binSeconds));
    }

    void attempted(long nanos) {
      attempts[bin(nanos)]++;
    }

    void ended(Message message) {
      made += message.made;
      most = Math.max(most, message.made);
      published[bin(message.publishedNanos)]++;
      if (message.deliveredNanos >= 0) {
        delivered++;
        ended[bin(message.deliveredNanos)]++;
      } else {
        ended[bin(message.givenUpNanos)]++;
        givenUp[bin(message.givenUpNanos)]++;
      }
    }

    OutageForecast forecast(Duration outage, double rate, int sample, long lastNanos) {
      double outageSeconds = outage.toNanos() / 1e9;
      double all = Math.max(1, Math.rint(rate * outageSeconds));
      double each = all / sample;
      double[] perSecond = new double[BINS];
      double[] backlog = new double[BINS];
      double[] lost = new double[BINS];
      double waiting = 0;
      double gone = 0;
      for (int i = 0; i < BINS; i++) {
        waiting += published[i] - ended[i];
        gone += givenUp[i];
        double later = Math.min(1, Math.max(0, i + 1 - outageSeconds / binSeconds));
        perSecond[i] = attempts[i] * each / binSeconds + later * rate;
        backlog[i] = waiting * each;
        lost[i] = gone * each;
      }
      return new OutageForecast(
          outage,
          rate,
          all,
          delivered * each,
          (sample - delivered) * each,
          (double) made / sample,
          most,
          lastNanos < 0 ? null : lastNanos / 1e9 - outageSeconds,
          binSeconds,
          perSecond,
          backlog,
          lost);
    }
  }
}
