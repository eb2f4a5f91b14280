package dev.reprise.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.Fleets;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForeseenAttemptsTest {
  private static final StrategyPolicy HASTY = Fleets.patient(Backoff.none());

  private static FleetModel hourOut(int devices, Duration from, Failure.Zone zone) {
    return Fleets.minuteOut()
        .withDevices(devices)
        .withHorizon(Duration.ofHours(2))
        .withFailures(List.of(new Failure.Outage(from, from.plusHours(1), zone)));
  }

  @Test
  void aDeviceThatWouldAskTooOftenInTheOutageIsRefusedBeforeTheRun() {
    FleetModel model = hourOut(1, Duration.ZERO, Failure.Zone.ALL);
    assertThatThrownBy(() -> FleetSimulation.run(model, HASTY, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "backoff is FixedBackoff[delay=PT0S]: must make fewer than 2,097,151 attempts of a"
                + " device in the outage of 3,600 s, and would make some 3,599,951");
  }

  @Test
  void aFleetThatWouldAskTooOftenInTheOutageIsRefusedBeforeTheRun() {
    FleetModel model = hourOut(1_000_000, Duration.ZERO, new Failure.Zone(1, 2));
    assertThatThrownBy(
            () -> FleetSimulation.run(model, Fleets.patient(fixed(Duration.ofMillis(10))), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "backoff is FixedBackoff[delay=PT0.01S]: must make at most 10,000,000,000 attempts in"
                + " the outage of 3,600 s, and would make some 179,998,000,000; a fleet of fewer"
                + " devices and as much less capacity shows the same");
  }

  @Test
  void aMinorityIsRefusedForItsOwnBackoff() {
    FleetModel model =
        hourOut(10, Duration.ZERO, Failure.Zone.ALL).withMinority(new Minority(0.1, HASTY));
    assertThatThrownBy(
            () -> FleetSimulation.run(model, Fleets.patient(fixed(Duration.ofSeconds(1))), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("minority.policy.backoff is FixedBackoff[delay=PT0S]: ");
  }

  private static Backoff fixed(Duration delay) {
    return Backoff.fixed(delay);
  }

  static Stream<Policy> endings() {
    CallSettings second = new CallSettings(Duration.ofSeconds(1), null, null, true);
    return Stream.of(
        HASTY.withMaxAttempts(5),
        HASTY.withCalls(second),
        HASTY.withBudget(new BudgetPolicy.Ratio(0.1, 0, 10, 0)));
  }

  @ParameterizedTest
  @MethodSource("endings")
  void aPolicyThatGivesUpInTimeIsNotRefused(Policy policy) {
    FleetModel model = hourOut(1, Duration.ZERO, Failure.Zone.ALL);
    assertThat(FleetSimulation.run(model, policy, 1).figures()).containsEntry(Figure.SUCCESS, 0.0);
  }

  static Stream<Backoff> backoffs() {
    Backoff quick = fixed(Duration.ofSeconds(1)).withJitter(0.2);
    return Stream.of(
        fixed(Duration.ofSeconds(7)),
        Fleets.FULL_JITTER,
        quick.then(100, fixed(Duration.ofMinutes(1))),
        Backoff.linear(Duration.ofSeconds(1), Duration.ofMillis(10), Duration.ofHours(1)));
  }

  @ParameterizedTest
  @MethodSource("backoffs")
  void theSimulationMakesAboutAsManyAsAreForeseen(Backoff backoff) {
    Failure.Outage outage =
        new Failure.Outage(Duration.ofMinutes(5), Duration.ofMinutes(65), Failure.Zone.ALL);
    FleetModel model =
        Fleets.minuteOut()
            .withDevices(2_000)
            .withSpread(Duration.ofMinutes(20))
            .withHorizon(Duration.ofMinutes(60))
            .withFailures(List.of(outage));
    Policy policy = Fleets.patient(backoff);
    DevicePolicy decides = DevicePolicy.of(policy);
    FleetRun run = new FleetRun(model, decides, decides, 1);
    run.run();
    double foreseen = ForeseenAttempts.of(model, outage, policy).times(2_000);
    assertThat(foreseen / run.counts().unreachableAttempts()).isCloseTo(1, within(0.03));
  }
}
