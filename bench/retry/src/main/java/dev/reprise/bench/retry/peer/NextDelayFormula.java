package dev.reprise.bench.retry.peer;

import dev.reprise.core.backoff.Backoff;
import java.time.Duration;
import java.util.function.LongSupplier;

/** The exponential backoffs, with the jitter that each of them has, that are compared. */
public enum NextDelayFormula {
  /** The one of our defaults. */
  REPRISE,
  REPRISE_NO_JITTER,
  REPRISE_EQUAL_JITTER,
  REPRISE_PROPORTIONAL,
  REPRISE_DECORRELATED,
  REPRISE_FIRST_FAST,
  REPRISE_DEVICE_SDK,
  REPRISE_TRUNCATED,
  SPRING_CORE,
  GAX,
  AWS_SDK,
  RESILIENCE4J;

  static final Duration BASE = Duration.ofMillis(100);
  static final Duration CAP = Duration.ofSeconds(20);
  static final double FACTOR = 2;

  /** Returns what computes the delay before the retry, counted from 1. */
  public LongSupplier open(int retry) {
    return switch (this) {
      case REPRISE -> RepriseLoop.delayNanos(exponential().withFullJitter(), retry);
      case REPRISE_NO_JITTER -> RepriseLoop.delayNanos(exponential(), retry);
      case REPRISE_EQUAL_JITTER -> RepriseLoop.delayNanos(exponential().withEqualJitter(), retry);
      case REPRISE_PROPORTIONAL -> RepriseLoop.delayNanos(exponential().withJitter(0.2), retry);
      case REPRISE_DECORRELATED ->
          RepriseLoop.delayNanos(Backoff.decorrelatedJitter(BASE, CAP), retry);
      case REPRISE_FIRST_FAST ->
          RepriseLoop.delayNanos(exponential().withFullJitter().withFirstFast(), retry);
      case REPRISE_DEVICE_SDK -> RepriseLoop.delayNanos(Backoff.exponentialWithJitter(), retry);
      case REPRISE_TRUNCATED -> RepriseLoop.delayNanos(Backoff.truncatedExponential(CAP), retry);
      case SPRING_CORE -> SpringCoreLoop.delayMillis(retry);
      case GAX -> GaxLoop.delayMillis(retry);
      case AWS_SDK -> AwsLoop.delayMillis(retry);
      case RESILIENCE4J -> Resilience4jLoop.delayMillis(retry);
    };
  }

  private static Backoff exponential() {
    return Backoff.exponential(BASE, FACTOR, CAP);
  }
}
