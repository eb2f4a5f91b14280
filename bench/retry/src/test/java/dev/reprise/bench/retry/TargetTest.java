package dev.reprise.bench.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bench.common.Goal;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetTest {
  private static final RetryFigure FLOOR = new RetryFigure(10, 0);

  private static String verdict(Target target, RetryFigure ours) {
    return Goal.verdict(target.toString(), Target.figures(FLOOR, ours));
  }

  @Test
  void aRatioIsMetUpToItsBound() {
    assertThat(verdict(Target.ratio(1.5), new RetryFigure(15, 1_000))).isEqualTo(Goal.MET);
    assertThat(verdict(Target.ratio(1.5), new RetryFigure(15.1, 0))).isEqualTo(Goal.MISSED);
  }

  @Test
  void aDifferenceIsMetUpToItsBound() {
    assertThat(verdict(Target.difference(6), new RetryFigure(16, 0))).isEqualTo(Goal.MET);
    assertThat(verdict(Target.difference(6), new RetryFigure(16.1, 0))).isEqualTo(Goal.MISSED);
  }

  @Test
  void aTimeIsMetWhateverTheFloor() {
    assertThat(verdict(Target.nanos(10), new RetryFigure(10, 0))).isEqualTo(Goal.MET);
    assertThat(verdict(Target.nanos(10), new RetryFigure(10.1, 0))).isEqualTo(Goal.MISSED);
  }

  @Test
  void memoryIsBoundedToo() {
    Target goal = Target.ratio(1.5).andBytes(0);
    assertThat(verdict(goal, new RetryFigure(10, 0.01))).isEqualTo(Goal.MET);
    assertThat(verdict(goal, new RetryFigure(10, 8))).isEqualTo(Goal.MISSED);
  }

  @Test
  void theResultTellsAllThatTheGoalIsAbout() {
    assertThat(Target.figures(FLOOR, new RetryFigure(17, 24)))
        .isEqualTo("ratio=1.70 difference=7.0ns ours=17.0ns B/op=24");
    assertThat(Target.difference(6).andBytes(0)).hasToString("difference<=6ns,B/op<=0");
  }

  @Test
  void theMedianOfForksIsTakenForTimeAndMemoryEach() {
    List<RetryFigure> forks =
        List.of(new RetryFigure(1, 9), new RetryFigure(2, 8), new RetryFigure(9, 7));
    assertThat(RetryFigure.median(forks)).isEqualTo(new RetryFigure(2, 8));
  }
}
