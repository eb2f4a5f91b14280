package dev.reprise.delivery.carrier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.backoff.Backoff;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The times at which a carrier with a fault is tried again, on a clock of the test's own. */
final class CarrierFaultTest {
  private long nanos = Long.MAX_VALUE - 1_000;
  private final CarrierFault fault =
      new CarrierFault(
          Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(30)),
          new SplittableRandom(1),
          () -> nanos,
          () -> 4_711);

  private void after(long seconds) {
    nanos += TimeUnit.SECONDS.toNanos(seconds);
  }

  private boolean isRefused() {
    return fault.refusal() != null;
  }

  @Test
  void oneAtATimeFindsOutWhetherItLasts() {
    assertThat(isRefused()).isFalse();
    assertThat(fault.failed("down").time()).isEqualTo(Duration.ofSeconds(1));
    assertThat(Objects.requireNonNull(fault.refusal()).summary()).contains("down");

    after(1);
    assertThat(isRefused()).isFalse();
    assertThat(isRefused()).isTrue();
    assertThat(fault.failed("still down").time()).isEqualTo(Duration.ofSeconds(2));
    assertThat(fault.sinceMillis()).isEqualTo(4_711);

    after(2);
    assertThat(isRefused()).isFalse();
    assertThat(fault.recovered()).isTrue();
    assertThat(isRefused()).isFalse();
    assertThat(fault.reason()).isNull();
  }

  @Test
  void aTryThatFindsOutNothingIsFollowedByAnother() {
    fault.failed("down");
    after(1);
    assertThat(isRefused()).isFalse();

    fault.undecided();

    assertThat(fault.reason()).isEqualTo("down");
    assertThat(isRefused()).isTrue();
    after(1);
    assertThat(isRefused()).isFalse();
  }

  @Test
  void aTryThatNeverEndsIsGivenUp() {
    fault.failed("down");
    after(1);
    assertThat(isRefused()).isFalse();
    after(119);
    assertThat(isRefused()).isTrue();
    after(1);
    assertThat(isRefused()).isFalse();
  }

  @Test
  void attemptsThatFailTogetherAreOneFailure() {
    for (int i = 0; i < 10; i++) {
      assertThat(fault.failed("down").time()).isEqualTo(Duration.ofSeconds(1));
    }
  }

  private boolean isSuspected(String endpoint) {
    return fault.isAtFault(CarrierVerdict.SUSPECT, endpoint, "0x00000400");
  }

  @Test
  void theSameAnswerToFiveRecipientsIsTheCarriers() {
    for (int i = 1; i < CarrierFault.MIN_ALIKE; i++) {
      assertThat(isSuspected("recipient " + i)).isFalse();
      assertThat(isSuspected("recipient " + i)).as("the same recipient").isFalse();
    }

    assertThat(isSuspected("recipient 5")).isTrue();
    // Who was answered so before has to do with it as well.
    assertThat(isSuspected("recipient 1")).isTrue();
  }

  @Test
  void whatWasTakenMeanwhileClearsTheCarrier() {
    for (int i = 0; i < 3 * CarrierFault.MIN_ALIKE; i++) {
      assertThat(isSuspected("recipient " + i)).isFalse();
      if (i % 3 == 2) {
        fault.taken("recipient " + i);
      }
    }
  }

  /** A country without a route, behind an SMS provider that serves all others. */
  @Test
  void manyThatHaveOneLastingAnswerHoldUpNobodyForEver() {
    for (int i = 1; i <= 3 * CarrierFault.MIN_ALIKE; i++) {
      assertThat(isSuspected("bad " + i)).isEqualTo(i >= CarrierFault.MIN_ALIKE);
    }
    fault.taken("good");

    for (int round = 0; round < 3; round++) {
      for (int i = 1; i <= 3 * CarrierFault.MIN_ALIKE; i++) {
        assertThat(isSuspected("bad " + i)).as("bad " + i).isFalse();
      }
    }
  }

  @Test
  void fiveThatAreNotKnownForItAreStillTheCarriers() {
    for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
      isSuspected("known " + i);
    }
    fault.taken("good");

    for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
      assertThat(isSuspected("known " + i)).isFalse();
      assertThat(isSuspected("other " + i)).isEqualTo(i == CarrierFault.MIN_ALIKE);
    }
  }

  @Test
  void anotherAnswerOfOneThatIsKnownCounts() {
    for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
      isSuspected("known " + i);
    }
    fault.taken("good");

    for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
      assertThat(fault.isAtFault(CarrierVerdict.SUSPECT, "known " + i, "0x00000045"))
          .isEqualTo(i == CarrierFault.MIN_ALIKE);
    }
  }

  @Test
  void oneThatIsTakenIsNoLongerKnown() {
    for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
      isSuspected("recipient " + i);
    }
    for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
      fault.taken("recipient " + i);
    }

    for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
      assertThat(isSuspected("recipient " + i)).isEqualTo(i == CarrierFault.MIN_ALIKE);
    }
  }

  /** A queue that was full for everybody passes; whom it hit is not alone with it the next time. */
  @Test
  void aBusyCarrierMakesNobodyKnown() {
    for (int round = 0; round < 2; round++) {
      for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
        assertThat(fault.isAtFault(CarrierVerdict.CARRIER_BUSY, "recipient " + i, "0x00000014"))
            .isEqualTo(i == CarrierFault.MIN_ALIKE);
      }
      fault.taken("good");
    }
  }

  @Test
  void noMoreAreKnownThanTheMost() {
    for (int i = 0; i <= CarrierFault.MAX_KNOWN; i++) {
      isSuspected("recipient " + i);
      fault.taken("good");
    }
    for (int i = 1; i < CarrierFault.MIN_ALIKE; i++) {
      assertThat(isSuspected("other " + i)).isFalse();
    }

    assertThat(isSuspected("recipient 1")).as("known").isFalse();
    assertThat(isSuspected("recipient 0")).as("forgotten").isTrue();
  }

  @Test
  void anotherAnswerCountsForItself() {
    for (int i = 1; i < CarrierFault.MIN_ALIKE; i++) {
      assertThat(isSuspected("recipient " + i)).isFalse();
    }
    assertThat(fault.isAtFault(CarrierVerdict.SUSPECT, "recipient 5", "0x00000045")).isFalse();
    assertThat(isSuspected("recipient 6")).isFalse();
  }

  /** A number that does not exist says nothing of the account, so it does not end the suspicion. */
  @Test
  void anAnswerAboutOneRecipientLeavesTheSuspicion() {
    for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
      isSuspected("recipient " + i);
    }
    fault.failed("0x00000400");
    assertThat(fault.isAtFault(CarrierVerdict.RECIPIENT, "recipient 6", "0x0000000B")).isFalse();
    fault.recovered();

    assertThat(isSuspected("recipient 7")).isTrue();
  }

  /** A sender that one country does not allow, for example. */
  @Test
  void oneThatIsAloneWithItHoldsUpNobodyForEver() {
    for (int i = 1; i < CarrierFault.MIN_ALIKE; i++) {
      assertThat(fault.isAtFault(CarrierVerdict.ACCOUNT, "alone", "0x0000000A")).isTrue();
      assertThat(fault.isAtFault(CarrierVerdict.ACCOUNT, "alone", "0x0000000A")).isTrue();
      fault.taken("another");
    }

    assertThat(fault.isAtFault(CarrierVerdict.ACCOUNT, "alone", "0x0000000A")).isFalse();
    assertThat(fault.isAtFault(CarrierVerdict.ACCOUNT, "another", "0x0000000A")).isTrue();
    fault.taken("alone");
    assertThat(fault.isAtFault(CarrierVerdict.ACCOUNT, "alone", "0x0000000A")).isTrue();
  }

  @Test
  void anAccountThatTakesNothingStaysAtFault() {
    for (int i = 0; i < 10 * CarrierFault.MIN_ALIKE; i++) {
      assertThat(fault.isAtFault(CarrierVerdict.ACCOUNT, "recipient", "554 5.2.252")).isTrue();
    }
  }

  @Test
  void eachVerdictIsChargedAsItsConsequenceSays() {
    for (CarrierVerdict verdict : CarrierVerdict.values()) {
      assertThat(verdict.failure().isRetrySafe() == RetrySafety.NO)
          .as(verdict.name())
          .isEqualTo(verdict.consequence() == Consequence.GIVE_UP);
      assertThat(fault.isAtFault(verdict, "a", "b"))
          .as(verdict.name())
          .isEqualTo(verdict.concern() == Concern.ACCOUNT || verdict == CarrierVerdict.CARRIER);
    }
  }
}
