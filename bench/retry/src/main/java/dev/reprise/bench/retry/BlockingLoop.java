package dev.reprise.bench.retry;

/** The blocking retry loops that are compared. */
public enum BlockingLoop {
  BARE_CALL,
  HAND_LOOP,
  REPRISE,
  /** The same without a budget. */
  REPRISE_UNLIMITED,
  RESILIENCE4J,
  SPRING_CORE,
  SPRING_RETRY,
  AWS_SDK,
  GAX,
  GUAVA_RETRYING,
  FAILSAFE;

  static final int MAX_ATTEMPTS = 3;

  /** Opens a loop; only now are the library's classes loaded. */
  Calls open(Setting setting) {
    return switch (this) {
      case BARE_CALL -> operation -> operation::call;
      case HAND_LOOP -> HandLoop.calls();
      case REPRISE -> RepriseLoop.calls(setting);
      case REPRISE_UNLIMITED -> RepriseLoop.calls(Setting.NO_DELAY_NO_BUDGET);
      case RESILIENCE4J -> Resilience4jLoop.calls();
      case SPRING_CORE -> SpringCoreLoop.calls();
      case SPRING_RETRY -> SpringRetryLoop.calls();
      case AWS_SDK -> AwsLoop.calls(setting);
      case GAX -> GaxLoop.calls();
      case GUAVA_RETRYING -> GuavaRetryingLoop.calls();
      case FAILSAFE -> FailsafeLoop.calls();
    };
  }
}
