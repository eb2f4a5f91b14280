package dev.reprise.bench.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class GoalTest {
  private static final Figure FLOOR = new Figure(10, 0);

  @Test
  void aRatioIsMetUpToItsBound() {
    assertThat(Goal.ratio(1.5).isMet(FLOOR, new Figure(15, 1_000))).isTrue();
    assertThat(Goal.ratio(1.5).isMet(FLOOR, new Figure(15.1, 0))).isFalse();
  }

  @Test
  void aDifferenceIsMetUpToItsBound() {
    assertThat(Goal.difference(6).isMet(FLOOR, new Figure(16, 0))).isTrue();
    assertThat(Goal.difference(6).isMet(FLOOR, new Figure(16.1, 0))).isFalse();
  }

  @Test
  void aTimeIsMetWhateverTheFloor() {
    assertThat(Goal.nanos(10).isMet(FLOOR, new Figure(10, 0))).isTrue();
    assertThat(Goal.nanos(10).isMet(FLOOR, new Figure(10.1, 0))).isFalse();
  }

  @Test
  void memoryIsBoundedToo() {
    Goal goal = Goal.ratio(1.5).andBytes(0);
    assertThat(goal.isMet(FLOOR, new Figure(10, 0.01))).isTrue();
    assertThat(goal.isMet(FLOOR, new Figure(10, 8))).isFalse();
  }

  @Test
  void theResultTellsAllThatTheGoalIsAbout() {
    assertThat(Goal.difference(6).andBytes(0).result(FLOOR, new Figure(17, 24)))
        .isEqualTo(
            "ratio=1.70 difference=7.0ns ours=17.0ns B/op=24"
                + " goal=difference<=6ns,B/op<=0 MISSED");
  }

  @Test
  void theMedianOfForksIsTakenForTimeAndMemoryEach() {
    List<Figure> forks = List.of(new Figure(1, 9), new Figure(2, 8), new Figure(9, 7));
    assertThat(Figure.median(forks)).isEqualTo(new Figure(2, 8));
  }
}
