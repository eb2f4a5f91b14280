package dev.reprise.bench.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bench.common.Goal;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetTest {
  private static final Figure FLOOR = new Figure(10, 0);

  private static String verdict(Target target, Figure ours) {
    return Goal.verdict(target.toString(), Target.figures(FLOOR, ours));
  }

  @Test
  void aRatioIsMetUpToItsBound() {
    assertThat(verdict(Target.ratio(1.5), new Figure(15, 1_000))).isEqualTo(Goal.MET);
    assertThat(verdict(Target.ratio(1.5), new Figure(15.1, 0))).isEqualTo(Goal.MISSED);
  }

  @Test
  void aDifferenceIsMetUpToItsBound() {
    assertThat(verdict(Target.difference(6), new Figure(16, 0))).isEqualTo(Goal.MET);
    assertThat(verdict(Target.difference(6), new Figure(16.1, 0))).isEqualTo(Goal.MISSED);
  }

  @Test
  void aTimeIsMetWhateverTheFloor() {
    assertThat(verdict(Target.nanos(10), new Figure(10, 0))).isEqualTo(Goal.MET);
    assertThat(verdict(Target.nanos(10), new Figure(10.1, 0))).isEqualTo(Goal.MISSED);
  }

  @Test
  void memoryIsBoundedToo() {
    Target goal = Target.ratio(1.5).andBytes(0);
    assertThat(verdict(goal, new Figure(10, 0.01))).isEqualTo(Goal.MET);
    assertThat(verdict(goal, new Figure(10, 8))).isEqualTo(Goal.MISSED);
  }

  @Test
  void theResultTellsAllThatTheGoalIsAbout() {
    assertThat(Target.figures(FLOOR, new Figure(17, 24)))
        .isEqualTo("ratio=1.70 difference=7.0ns ours=17.0ns B/op=24");
    assertThat(Target.difference(6).andBytes(0)).hasToString("difference<=6ns,B/op<=0");
  }

  @Test
  void theMedianOfForksIsTakenForTimeAndMemoryEach() {
    List<Figure> forks = List.of(new Figure(1, 9), new Figure(2, 8), new Figure(9, 7));
    assertThat(Figure.median(forks)).isEqualTo(new Figure(2, 8));
  }
}
