package dev.reprise.bench.retry.peer;

/** The blocking retry loops that are compared. */
public enum PeerLoop {
  BARE_CALL,
  HAND_LOOP,
  /** The same without attaching earlier failures to later ones. */
  HAND_LOOP_FORGETFUL,
  /** The bare call after a look at the clock. */
  BARE_CALL_AND_CLOCK,
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

  /** Opens a loop; only now are the library's classes loaded. */
  public Calls open(PeerSetting setting) {
    return switch (this) {
      case BARE_CALL -> operation -> operation::call;
      case HAND_LOOP_FORGETFUL -> HandLoop.forgetfulCalls(setting);
      case BARE_CALL_AND_CLOCK -> HandLoop.bareCallsAndClock();
      case HAND_LOOP -> HandLoop.calls(setting);
      case REPRISE -> RepriseLoop.calls(setting);
      case REPRISE_UNLIMITED -> RepriseLoop.unlimitedCalls(setting);
      case RESILIENCE4J -> Resilience4jLoop.calls(setting);
      case SPRING_CORE -> SpringCoreLoop.calls(setting);
      case SPRING_RETRY -> SpringRetryLoop.calls(setting);
      case AWS_SDK -> AwsLoop.calls(setting);
      case GAX -> GaxLoop.calls(setting);
      case GUAVA_RETRYING -> GuavaRetryingLoop.calls(setting);
      case FAILSAFE -> FailsafeLoop.calls(setting);
    };
  }
}
