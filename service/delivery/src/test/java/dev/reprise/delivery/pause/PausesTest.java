package dev.reprise.delivery.pause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.testkit.VirtualTime;
import java.time.Duration;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class PausesTest {
  private final VirtualTime time = new VirtualTime();

  @Test
  void theyGrowAsTheBackoffSaysAndBeginAnewAfterASuccess() throws Exception {
    Pauses pauses =
        Pauses.of(Backoff.exponential(Duration.ofMillis(100), Duration.ofMillis(400))).in(time);
    for (int i = 0; i < 4; i++) {
      assertThat(pauses.next()).isTrue();
    }
    pauses.reset();
    assertThat(pauses.next()).isTrue();
    assertThat(time.waits())
        .extracting(Duration::toMillis)
        .containsExactly(100L, 200L, 400L, 400L, 100L);
  }

  @Test
  void looksAreNotMadeByAllAtTheSameMoment() throws Exception {
    Pauses pauses = Pauses.every(Duration.ofMillis(50)).in(time);
    for (int i = 0; i < 100; i++) {
      assertThat(pauses.next()).isTrue();
    }
    assertThat(time.waits())
        .allMatch(each -> each.toMillis() >= 25 && each.toMillis() <= 50)
        .satisfies(waits -> assertThat(new HashSet<>(waits)).hasSizeGreaterThan(50));
  }

  @Test
  void theLastLookIsWhenTheLimitIsOver() throws Exception {
    Pauses pauses =
        Pauses.of(Backoff.fixed(Duration.ofSeconds(4))).in(time).within(Duration.ofSeconds(10));
    while (pauses.next()) {
      // What one looks at takes time as well.
      time.advance(Duration.ofSeconds(1));
    }
    assertThat(time.waits()).extracting(Duration::toSeconds).containsExactly(4L, 4L);
    assertThat(time.elapsed()).isEqualTo(Duration.ofSeconds(10));

    assertThat(Pauses.every(Duration.ofSeconds(4)).in(time).within(Duration.ZERO).next()).isFalse();
    Pauses shortened =
        Pauses.of(Backoff.fixed(Duration.ofSeconds(4))).in(time).within(Duration.ofSeconds(3));
    assertThat(shortened.next()).isTrue();
    assertThat(shortened.next()).isFalse();
    assertThat(time.waits()).last().isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void noLimitIsTooLong() throws Exception {
    Pauses pauses = Pauses.of(Backoff.none()).in(time).within(Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(pauses.next()).isTrue();
  }

  @Test
  void anInterruptEndsAPause() {
    Pauses pauses = Pauses.every(Duration.ofHours(1));
    Thread.currentThread().interrupt();
    assertThat(pauses.nextUnlessInterrupted()).isFalse();
    // Cleared by the wait that it ends.
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThatThrownBy(pauses::next).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }
}
