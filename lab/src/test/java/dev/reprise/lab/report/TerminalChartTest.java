package dev.reprise.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.lab.figure.PolicyResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class TerminalChartTest {
  @Test
  void arrivalsStandAgainstTheCapacityWithTheOutageOnTheAxis() {
    List<String> lines =
        TerminalChart.arrivals(
            MadeUp.fleet(), List.of(MadeUp.fleetResult("full jitter", 2.5, 3)), 60);

    assertThat(lines.get(0)).startsWith("full jitter: peak 2.5").contains("all back after");
    assertThat(lines.get(1)).startsWith("100k \u2524\u2588");
    assertThat(lines.get(5)).startsWith("     \u2502\u2588").endsWith("\u2504");
    assertThat(lines.get(9)).startsWith("  10 \u2514\u2592").endsWith("\u2500");
    assertThat(lines.get(lines.size() - 1))
        .isEqualTo("attempts a second, logarithmic; \u2504 capacity; \u2592 outage");
  }

  @Test
  void thoseWhoAreBackGrowToAFullBlock() {
    List<String> lines =
        TerminalChart.connected(
            MadeUp.fleet(),
            List.of(MadeUp.fleetResult("fast", 2.5, 1), MadeUp.fleetResult("dead", 30, 1)),
            80);

    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).startsWith("ideal: N/C ").endsWith("100\u00a0s").contains("\u2588");
    assertThat(lines.get(1)).startsWith("fast ").contains("\u2581", "\u2584");
    // The run ended long before the right edge: who is back stays back.
    assertThat(lines.get(1)).containsPattern("\u2588{3} {2}[0-9]");
    assertThat(lines.get(2)).startsWith("dead ").endsWith("never").doesNotContain("\u2588");
  }

  @Test
  void noLineIsLongerThanTheWidthAndNoneEndsInSpaces() {
    String name = "x".repeat(200) + "\u001b[31m\n";
    List<PolicyResult> results = List.of(MadeUp.fleetResult(name, 2, 1));
    for (int width : new int[] {40, 41, 79, 200}) {
      assertThat(TerminalChart.arrivals(MadeUp.fleet(), results, width))
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(width).doesNotEndWith(" "))
          .noneMatch(line -> line.contains("\u001b") || line.contains("\n"));
      assertThat(TerminalChart.connected(MadeUp.fleet(), results, width))
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(width).doesNotEndWith(" "))
          .noneMatch(line -> line.contains("\u001b") || line.contains("\n"));
    }
  }

  @Test
  void whatHasNoSeriesHasNoChart() {
    List<PolicyResult> empty = List.of(EmptyRuns.result("p"));

    assertThat(TerminalChart.arrivals(MadeUp.ramp(), empty, 80)).isEmpty();
    assertThat(TerminalChart.connected(MadeUp.ramp(), empty, 80)).isEmpty();
    assertThatThrownBy(() -> TerminalChart.arrivals(MadeUp.ramp(), empty, 39))
        .hasMessage("width is 39: must be >= 40");
  }
}
