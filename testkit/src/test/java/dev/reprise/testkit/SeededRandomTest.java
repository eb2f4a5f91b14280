package dev.reprise.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
class SeededRandomTest {
  private String seedOfTheRun;

  @BeforeEach
  void keepTheSeedOfTheRun() {
    seedOfTheRun = System.getProperty(SeededRandom.SEED_PROPERTY);
    System.clearProperty(SeededRandom.SEED_PROPERTY);
  }

  @AfterEach
  void putItBack() {
    if (seedOfTheRun == null) {
      System.clearProperty(SeededRandom.SEED_PROPERTY);
    } else {
      System.setProperty(SeededRandom.SEED_PROPERTY, seedOfTheRun);
    }
  }

  private static List<Long> draws(SeededRandom random) {
    List<Long> draws = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      draws.add(random.nextLong(1_000_000));
    }
    return draws;
  }

  @Test
  void seedGivesTheSameDrawsAgain() {
    assertThat(draws(SeededRandom.of(42))).isEqualTo(draws(SeededRandom.of(42)));
    assertThat(draws(SeededRandom.of(42))).isNotEqualTo(draws(SeededRandom.of(43)));
  }

  @Test
  void propertyReplaysARun() {
    SeededRandom first = SeededRandom.create();
    System.setProperty(SeededRandom.SEED_PROPERTY, String.valueOf(first.seed()));

    assertThat(draws(SeededRandom.create())).isEqualTo(draws(first));
  }

  @Test
  void runsDifferWithoutTheProperty() {
    assertThat(SeededRandom.create().seed()).isNotEqualTo(SeededRandom.create().seed());
  }

  @Test
  void propertyThatIsNoNumberIsNamed() {
    System.setProperty(SeededRandom.SEED_PROPERTY, "lucky");

    assertThatThrownBy(SeededRandom::create)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("reprise.seed is lucky: must be a whole number");
  }

  @Test
  void failureNamesTheSeed() {
    System.setProperty(SeededRandom.SEED_PROPERTY, "77");

    assertThatThrownBy(
            () ->
                SeededRandom.check(
                    random -> {
                      throw new IllegalStateException("lost a message");
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessage("seed 77 (replay with -Dreprise.seed=77): lost a message")
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void drawsOfAForkDoNotShiftThoseOfItsOrigin() {
    SeededRandom drawn = SeededRandom.of(1);
    draws(drawn.fork());
    SeededRandom untouched = SeededRandom.of(1);
    untouched.fork();

    assertThat(draws(drawn)).isEqualTo(draws(untouched));
  }
}
