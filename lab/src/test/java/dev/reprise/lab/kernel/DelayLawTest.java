package dev.reprise.lab.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.kernel.DelayLaw.Piece;
import dev.reprise.policy.Policy;
import dev.reprise.policy.Presets;
import dev.reprise.policy.preview.SchedulePreview;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DelayLawTest {
  @Test
  void jitterIsOnePieceFromTheShortestToTheLongestDelay() {
    Backoff backoff = Backoff.fixed(Duration.ofSeconds(8)).withEqualJitter();

    assertThat(DelayLaw.of(backoff, 1).pieces()).containsExactly(new Piece(1, 4, 8));
  }

  @Test
  void aDelayWithoutJitterIsOnePieceWithoutWidth() {
    DelayLaw law = DelayLaw.of(Backoff.fixed(Duration.ofSeconds(8)), 3);

    assertThat(law.pieces()).containsExactly(new Piece(1, 8, 8));
  }

  @Test
  void whatACapCutsOffIsAPieceOfItsOwn() {
    // 16 s and up to 1 s more, cut off at 16.25 s.
    DelayLaw law = DelayLaw.of(Backoff.truncatedExponential(Duration.ofMillis(16_250)), 5);

    assertThat(law.pieces()).hasSize(2);
    assertThat(law.pieces().get(0).share()).isCloseTo(0.25, within(1e-8));
    assertThat(law.pieces().get(0).highestSeconds()).isCloseTo(16.25, within(1e-8));
    assertThat(law.pieces().get(1).share()).isCloseTo(0.75, within(1e-8));
    assertThat(law.pieces().get(1).lowestSeconds()).isEqualTo(16.25);
    assertThat(law.meanSeconds()).isCloseTo(0.25 * 16.125 + 0.75 * 16.25, within(1e-7));
  }

  @ParameterizedTest
  @ValueSource(doubles = {10.1, 16.3, 16.7, 3.999, 2.0001})
  void sharesAddUpToOneAndDrawsFollowThem(double capSeconds) {
    Backoff backoff = Backoff.truncatedExponential(Duration.ofNanos((long) (capSeconds * 1e9)));
    SplittableRandom random = new SplittableRandom(42);
    for (int retry = 1; retry <= 6; retry++) {
      DelayLaw law = DelayLaw.of(backoff, retry);
      double sum = 0;
      for (int i = 0; i < 20_000; i++) {
        sum += backoff.delayNanos(retry, random) / 1e9;
      }
      assertThat(law.pieces().stream().mapToDouble(Piece::share).sum()).isCloseTo(1, within(1e-12));
      // Five standard errors of a second of jitter.
      assertThat(law.meanSeconds()).isCloseTo(sum / 20_000, within(5 * 0.29 / Math.sqrt(20_000)));
    }
  }

  @Test
  void theMeanIsThatOfThePreview() {
    for (String name : Presets.names()) {
      Policy policy = Presets.policy(name);
      for (Row row : SchedulePreview.of(policy, name).rows()) {
        assertThat(DelayLaw.of(policy.backoff(), row.firstRetry()).meanSeconds())
            .as("%s, retry %d", name, row.firstRetry())
            .isCloseTo(Seconds.of(row.delay().expected()), within(1e-8));
      }
    }
  }

  @Test
  void refusesABackoffThatDrawsMoreThanOneNumber() {
    Backoff backoff = Backoff.fixed(Duration.ofSeconds(1)).withJitter(0.5).withFullJitter();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> DelayLaw.of(backoff, 1))
        .withMessageContaining("must draw at most one number for a delay");
  }
}
