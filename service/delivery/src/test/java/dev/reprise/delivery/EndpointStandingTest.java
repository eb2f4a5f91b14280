package dev.reprise.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.EndpointStanding.LastOutcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One standing of the standings in several shards, and what a summary may have in it. */
class EndpointStandingTest {
  private static EndpointStanding failing(long since, long lastSuccess, long at) {
    return new EndpointStanding(
        since, lastSuccess, new LastOutcome(at, OutcomeClass.SERVER_ERROR, "500"));
  }

  private static EndpointStanding fine(long at) {
    return new EndpointStanding(0, at, new LastOutcome(at, OutcomeClass.SUCCESS, "200"));
  }

  private static EndpointStanding of(EndpointStanding... parts) {
    return EndpointStanding.of(List.of(parts));
  }

  @Test
  void onePartIsTheWhole() {
    for (EndpointStanding part :
        List.of(failing(5, 5, 5), failing(4, 0, 9), fine(7), EndpointStanding.NONE)) {
      assertThat(of(part)).isEqualTo(part);
      assertThat(of(EndpointStanding.NONE, part, EndpointStanding.NONE)).isEqualTo(part);
    }
  }

  @Test
  void aLaterSuccessOfAnyShardEndsTheRow() {
    assertThat(of(failing(5, 1, 8), fine(10))).isEqualTo(fine(10));
    assertThat(of(fine(10), failing(5, 0, 10), fine(9))).isEqualTo(fine(10));
  }

  @Test
  void theRowBeginsWithTheFirstFailureAfterTheLastSuccess() {
    assertThat(of(failing(12, 10, 13), failing(11, 3, 15), failing(2, 1, 9)))
        .isEqualTo(failing(11, 10, 15));
    assertThat(of(failing(12, 0, 13), failing(11, 0, 12))).isEqualTo(failing(11, 0, 13));
  }

  @Test
  void aRowOlderThanASuccessElsewhereBeginsWithTheSuccess() {
    assertThat(of(failing(5, 1, 14), fine(10), failing(12, 0, 13))).isEqualTo(failing(10, 10, 14));
  }

  @Test
  void aSummaryIsOneShortLine() {
    assertThat(new LastOutcome(1, OutcomeClass.PERMANENT, "550 no\r\n\u001b[31muser").summary())
        .isEqualTo("550 no   [31muser");
    assertThat(new LastOutcome(1, OutcomeClass.PERMANENT, "x".repeat(120)).summary()).hasSize(120);
    assertThat(new LastOutcome(1, OutcomeClass.PERMANENT, "😀".repeat(100)).summary())
        .isEqualTo("😀".repeat(59) + "…");
  }
}
