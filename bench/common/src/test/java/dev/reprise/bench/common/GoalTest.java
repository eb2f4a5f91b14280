package dev.reprise.bench.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoalTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<=2.00 | ratio=2.00 | met",
        "<=2.00 | ratio=2.97 | MISSED",
        ">=0.80 | ratio=0.97 | met",
        ">=0.80 | ratio=0.79 | MISSED",
        "p50<=2ms,p99<=20ms | p50=0.50 ms p99=3.40 ms | met",
        "p50<=2ms,p99<=20ms | p50=0.50 ms p99=20.01 ms | MISSED",
        "resident<=1.0GB,restart<=3s,scan<1ms | resident=890 MB restart=2.90s scan=0.400ms/0.900ms"
            + " | met",
        "resident<=1.0GB,restart<=3s,scan<1ms | resident=890 MB restart=2.90s scan=0.400ms/1.000ms"
            + " | MISSED",
        "difference<=6ns,B/op<=0 | ratio=0.90 difference=-9.0ns B/op=0 | met",
        "difference<=6ns,B/op<=0 | ratio=1.70 difference=6.0ns B/op=24 | MISSED",
        "cpu<=1s,bytes/device<=32,events/s>=10M | cpu=0.63s bytes/device=18.6 events/s=17.5M | met",
        "<=1.00 | ratio=Infinity | MISSED",
        "deviation<=10% | deviation=20.1% | MISSED"
      })
  void figuresAreComparedWithEachCondition(String goal, String figures, String verdict) {
    assertThat(Goal.verdict(goal, figures)).isEqualTo(verdict);
  }

  @Test
  void aGoalOfAFigureThatWasNotMeasuredIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Goal.verdict("p50<=2ms", "ratio=1.00"))
        .withMessage("goal is p50<=2ms: no such figure in ratio=1.00");
  }
}
