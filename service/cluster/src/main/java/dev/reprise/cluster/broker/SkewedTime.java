package dev.reprise.cluster.broker;

import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/** A clock of Kafka that is ahead of this machine's wall clock by always the same. */
final class SkewedTime implements Time {
  private final long aheadMillis;

  /** A clock that is behind if {@code aheadMillis} is less than 0. */
  SkewedTime(long aheadMillis) {
    this.aheadMillis = aheadMillis;
  }

  @Override
  public long milliseconds() {
    return Time.SYSTEM.milliseconds() + aheadMillis;
  }

  @Override
  public long nanoseconds() {
    return Time.SYSTEM.nanoseconds();
  }

  @Override
  public void sleep(long millis) {
    Time.SYSTEM.sleep(millis);
  }

  @Override
  public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMillis)
      throws InterruptedException {
    Time.SYSTEM.waitObject(object, condition, deadlineMillis - aheadMillis);
  }
}
