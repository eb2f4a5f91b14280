package dev.reprise.bench.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LauncherTest {
  private static final List<Benchmark> ALL =
      List.of(new Fixed("good", "ratio=0.90"), new Fixed("bad", "ratio=2.00"));

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @Test
  void aGoalThatIsMetEndsWithZero() throws Exception {
    assertThat(run("good")).isZero();
    assertThat(lines()).containsExactly("FULL", "good ratio=0.90 goal=<=1.00 met");
  }

  @Test
  void aGoalThatIsMissedEndsWithOne() throws Exception {
    assertThat(run("--quick", "bad")).isEqualTo(1);
    assertThat(lines()).containsExactly("QUICK", "bad ratio=2.00 goal=<=1.00 MISSED");
  }

  @Test
  void theResultsOfManyStandTogetherAtTheEnd() throws Exception {
    assertThat(run("all")).isEqualTo(1);
    assertThat(lines())
        .endsWith("", "good ratio=0.90 goal=<=1.00 met", "bad ratio=2.00 goal=<=1.00 MISSED");
  }

  @Test
  void anUnknownNameEndsWithTwo() throws Exception {
    assertThat(run("better")).isEqualTo(2);
    assertThat(lines()).containsExactly("bench: name a benchmark; bench/run --list names them all");
  }

  private int run(String... arguments) throws Exception {
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return Launcher.run(ALL, out, out, arguments);
  }

  private List<String> lines() {
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private record Fixed(String name, String figures) implements Benchmark {
    @Override
    public String goal() {
      return "<=1.00";
    }

    @Override
    public String run(Effort effort, PrintStream out) {
      out.println(effort);
      return figures;
    }
  }
}
