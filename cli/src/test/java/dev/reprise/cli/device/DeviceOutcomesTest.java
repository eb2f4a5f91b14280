package dev.reprise.cli.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.message.NotDeliveredException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DeviceOutcomesTest {
  private final DeviceOutcomes outcomes = new DeviceOutcomes();

  private void sent(int messages) {
    for (int i = 0; i < messages; i++) {
      outcomes.sent();
    }
  }

  private static NotDeliveredException not(Kind kind, @Nullable Throwable cause) {
    return new NotDeliveredException(new MessageOutcome("m", kind, 1, cause));
  }

  @Test
  void allIsWellWhenAllWasAcknowledgedOrIsKeptOnDisk() {
    sent(3);
    outcomes.ended(null);
    outcomes.ended(null);
    outcomes.ended(not(Kind.STORED, null));

    assertThat(outcomes.isWell()).isTrue();
    assertThat(outcomes.lost()).isZero();
    assertThat(DeviceRun.sum(outcomes)).isEqualTo("3 sent = 2 acknowledged + 1 stored");
  }

  @Test
  void whatWasNotDeliveredIsNamedWithItsReason() {
    sent(3);
    outcomes.ended(not(Kind.REJECTED, new IllegalStateException("the queue is full")));
    outcomes.ended(not(Kind.REJECTED, new IllegalStateException("the queue is full")));
    outcomes.ended(not(Kind.CANCELLED, null));

    assertThat(outcomes.isWell()).isFalse();
    assertThat(DeviceRun.sum(outcomes))
        .isEqualTo("3 sent = 0 acknowledged + 1 cancelled + 2 rejected");
    assertThat(outcomes.reasons()).containsOnlyKeys("rejected: the queue is full");
    assertThat(outcomes.reasons()).containsValue(2L);
  }

  @Test
  void aMessageWithoutAnOutcomeIsNotPassedOver() {
    sent(1234);
    outcomes.ended(null);

    assertThat(outcomes.isWell()).isFalse();
    assertThat(outcomes.lost()).isEqualTo(1233);
    assertThat(DeviceRun.sum(outcomes))
        .isEqualTo("1,234 sent = 1 acknowledged + 1,233 without an outcome");
    assertThat(outcomes.toJson().path("lost").asLong()).isEqualTo(1233);
  }

  @Test
  void aStageThatFailsInAnotherWayCountsAsNoOutcome() {
    sent(1);
    outcomes.ended(new IllegalArgumentException("no"));

    assertThat(outcomes.lost()).isEqualTo(1);
    assertThat(outcomes.endedCount()).isEqualTo(1);
    assertThat(outcomes.reasons()).containsOnlyKeys("unexpected: no");
  }
}
