package dev.reprise.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The figures of another simulator, {@code fleet-reference.csv}, within 2 %.
 *
 * <p>Eight of its rows are not met, and must not be. That simulator serves the devices of a
 * millisecond in the reverse of the order in which they were added to it, so that those come first
 * whose delay was the shortest. With five free places and twenty-five devices in a millisecond this
 * matters where delays differ much between devices that are served and those that are not: under a
 * cap of 400 s, and in the chain of decorrelated jitter, where a short delay begets a short one. A
 * plain simulation shows both: served in reverse it gives the reference, in the order of time it
 * gives what we do.
 */
class FleetReferenceTest {
  private static final double AGREED = 0.02;
  private static final int MILLION = 1_000_000;

  private static final List<Figure> FIGURES =
      List.of(
          Figure.DRAIN_P50,
          Figure.DRAIN_P90,
          Figure.DRAIN_P99,
          Figure.DRAIN_LAST,
          Figure.ATTEMPTS,
          Figure.ATTEMPTS_AFTER_RECOVERY);

  private static boolean dependsOnTheOrderWithinATick(FleetReference row) {
    return row.policy().startsWith("decorr")
        || (row.policy().equals("full:1:400") && row.capacityPerSecond() == 5_000);
  }

  private static Stream<FleetReference> comparable() {
    return FleetReference.rows().stream().filter(row -> !dependsOnTheOrderWithinATick(row));
  }

  static Stream<FleetReference> quickRows() {
    // A tenth of the devices at a tenth of the capacity come back in the same time.
    return comparable()
        .filter(row -> row.events() < 9_900_000)
        .map(row -> row.devices() == MILLION ? row.scaledDown(10) : row);
  }

  static Stream<FleetReference> fullSizeRows() {
    return comparable().filter(row -> row.devices() == MILLION && row.events() < 30_000_000);
  }

  static Stream<FleetReference> longRows() {
    return comparable().filter(row -> row.events() >= 30_000_000).map(row -> row.scaledDown(10));
  }

  static Stream<FleetReference> exceptions() {
    return FleetReference.rows().stream()
        .filter(FleetReferenceTest::dependsOnTheOrderWithinATick)
        .map(row -> row.scaledDown(25));
  }

  @Test
  void everyRowIsComparedInOneWayOrTheOther() {
    assertThat(FleetReference.rows()).hasSize(36);
    assertThat(exceptions()).hasSize(8);
    long small = comparable().filter(row -> row.devices() < MILLION).count();
    assertThat(small + fullSizeRows().count() + longRows().count()).isEqualTo(28);
  }

  @ParameterizedTest
  @MethodSource("quickRows")
  void aTenthOfTheFleetAgrees(FleetReference row) {
    assertAgrees(row, row.run(1));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("fullSizeRows")
  void theWholeFleetAgrees(FleetReference row) {
    assertAgrees(row, row.run(1));
  }

  /** Rows of 39 to 268 million events, among them all that never drain. */
  @Tag("slow")
  @ParameterizedTest
  @MethodSource("longRows")
  void aTenthOfTheFleetAgreesWhereTheWholeTakesTooLong(FleetReference row) {
    assertAgrees(row, row.run(1));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("exceptions")
  void thePlainSimulationGivesReferenceAndFigures(FleetReference row) {
    // 25 devices a tick, as in the reference, which had 25 times as many in 25 times as short ones.
    SimpleFleet.Outcome reversed = row.plain(25_000_000, true).run(1);
    assertThat(reversed.wait(0.5)).isCloseTo(row.p50(), within(row.p50() * AGREED));
    assertThat(reversed.wait(0.9)).isCloseTo(row.p90(), within(row.p90() * AGREED));
    assertThat(reversed.wait(0.99)).isCloseTo(row.p99(), within(row.p99() * AGREED));
    assertThat(reversed.attempts()).isCloseTo(row.attempts(), within(row.attempts() * AGREED));

    SimpleFleet.Outcome inOrder = row.plain(1_000, false).run(1);
    RunRecord ours = row.run(1);
    assertThat(ours.figures().get(Figure.DRAIN_P50))
        .isCloseTo(inOrder.wait(0.5), within(inOrder.wait(0.5) * AGREED));
    assertThat(ours.figures().get(Figure.DRAIN_P90))
        .isCloseTo(inOrder.wait(0.9), within(inOrder.wait(0.9) * AGREED));
    // Of so few devices, chance alone moves the last 400 by more than 2 %.
    assertThat(ours.figures().get(Figure.DRAIN_P99))
        .isCloseTo(inOrder.wait(0.99), within(inOrder.wait(0.99) * 2 * AGREED));
    assertThat(ours.figures().get(Figure.ATTEMPTS))
        .isCloseTo(inOrder.attempts(), within(inOrder.attempts() * AGREED));
    assertThat(ours.figures().get(Figure.ATTEMPTS_AFTER_RECOVERY))
        .isCloseTo(
            inOrder.attemptsAfterRecovery(), within(inOrder.attemptsAfterRecovery() * AGREED));
  }

  private static void assertAgrees(FleetReference row, RunRecord run) {
    SoftAssertions all = new SoftAssertions();
    for (Figure figure : FIGURES) {
      double reference = row.reference(figure);
      double ours = run.figures().get(figure);
      if (Double.isInfinite(reference)) {
        all.assertThat(ours).as(figure.key()).isInfinite();
      } else {
        all.assertThat(ours).as(figure.key()).isCloseTo(reference, within(reference * AGREED));
      }
    }
    all.assertAll();
  }
}
