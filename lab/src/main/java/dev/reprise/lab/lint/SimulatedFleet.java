package dev.reprise.lab.lint;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.fleet.FleetSimulation;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.Policy;
import dev.reprise.policy.preview.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The end of simulated runs of a fleet under a policy, which what a linter says has to agree with.
 *
 * @param model what was simulated
 * @param runs how many, at least 1
 * @param away the most devices that were not back at the end of a run, those that gave up among
 *     them
 * @param stranded the most devices that gave up in a run
 * @param lastSeconds the longest time from the end of the outage until the last device was back;
 *     infinite when it was not in some run
 */
public record SimulatedFleet(
    FleetModel model, int runs, long away, long stranded, double lastSeconds) {
  /** Some ten seconds of work, whatever the fleet. */
  private static final long MAX_ATTEMPTS = 200_000_000;

  /** A fleet that comes back although a formula says that it does not, does so in few. */
  private static final long MAX_ATTEMPTS_OF_FAULTY = 40_000_000;

  /** Some 16 bytes each, and 60 more where a device has a budget. */
  private static final int MAX_DEVICES = 2_000_000;

  /** Thrown when a simulation would take too long, or needs too much; the message says why. */
  public static final class NotSimulatedException extends Exception {
    private static final long serialVersionUID = 1;

    NotSimulatedException(String reason) {
      super(reason);
    }
  }

  /**
   * Simulates a fleet as {@link dev.reprise.lab.Lab} does: with as many runs, from the same seed,
   * each ends the same. No further one is made when one has ended with devices away.
   *
   * @param runs at least 1
   * @throws NotSimulatedException when there are more than two million devices; when the runs take
   *     more than 200 million attempts, or 40 million where a formula finds an error; or when the
   *     simulation refuses the policy
   */
  public static SimulatedFleet run(FleetModel model, Policy policy, long seed, int runs)
      throws NotSimulatedException {
    if (model.devices() > MAX_DEVICES) {
      throw new NotSimulatedException(
          AmountText.count(model.devices())
              + " devices are more than the "
              + AmountText.count(MAX_DEVICES)
              + " that are simulated here");
    }
    List<RunRecord> records = new ArrayList<>();
    boolean isFaulty =
        PolicyLinter.lint(policy, Situation.of(model)).stream()
            .anyMatch(finding -> finding.severity() == Severity.ERROR);
    long most = isFaulty ? MAX_ATTEMPTS_OF_FAULTY : MAX_ATTEMPTS;
    long left = most;
    while (records.size() < runs && (records.isEmpty() || of(model, records).allBack())) {
      RunRecord record;
      try {
        record = FleetSimulation.runWithin(model, policy, seed + records.size(), left);
      } catch (IllegalArgumentException refused) {
        throw new NotSimulatedException(String.valueOf(refused.getMessage()));
      }
      if (record == null) {
        throw new NotSimulatedException(
            "it takes more than the "
                + AmountText.count((double) most)
                + " attempts that are simulated here");
      }
      left -= record.events();
      records.add(record);
    }
    return of(model, records);
  }

  /** Returns the end of runs of the model, of which there is at least one. */
  public static SimulatedFleet of(FleetModel model, List<RunRecord> records) {
    if (records.isEmpty()) {
      throw new InvalidSettingException("records", "empty", "must have at least one");
    }
    long devices = devices(model);
    long away = 0;
    long stranded = 0;
    double last = 0;
    for (RunRecord record : records) {
      away = Math.max(away, devices - Math.round(figure(record, Figure.SUCCESS) * devices));
      stranded = Math.max(stranded, Math.round(figure(record, Figure.STRANDED)));
      last = Math.max(last, figure(record, Figure.DRAIN_LAST));
    }
    return new SimulatedFleet(model, records.size(), away, stranded, last);
  }

  /** The overactive ones are not looked at. */
  private static long devices(FleetModel model) {
    return model.devices() - (long) model.overactive().of(model.devices());
  }

  private static double figure(RunRecord record, Figure figure) {
    return Objects.requireNonNull(record.figures().get(figure), figure.key());
  }

  /** Returns whether every device was back at the end of every run. */
  public boolean allBack() {
    return Double.isFinite(lastSeconds);
  }

  /** Returns how long it was watched for after the outage. */
  private Duration watched() {
    return model.horizon().minus(model.recovery());
  }

  /** Returns the outcome, to follow a colon. */
  public String sentence() {
    return "simulated, " + outcome();
  }

  /** Returns the outcome without a word of where it is from. */
  String outcome() {
    if (allBack()) {
      return "all devices are back after the outage, the last "
          + AmountText.seconds(lastSeconds)
          + " after its end";
    }
    return AmountText.count((double) away)
        + " of "
        + AmountText.count((double) devices(model))
        + " devices are not back "
        + AmountText.plain(watched())
        + " after the outage"
        + (stranded == 0 ? "" : ", and " + AmountText.count((double) stranded) + " have given up");
  }

  /** Returns what was simulated. */
  String situation() {
    return AmountText.count(model.devices())
        + " devices, "
        + AmountText.rate(model.quota().perSecond())
        + ", refusals that cost "
        + AmountText.count(model.quota().rejectionCost())
        + ", an outage of "
        + AmountText.plain(model.recovery());
  }
}
