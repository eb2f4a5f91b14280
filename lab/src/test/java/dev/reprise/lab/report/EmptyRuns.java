package dev.reprise.lab.report;

import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.policy.Presets;
import java.util.List;
import java.util.Map;

/** Runs of which nothing is known. */
final class EmptyRuns {
  private EmptyRuns() {}

  static PolicyResult result(String name) {
    return new PolicyResult(
        name,
        Presets.policy("no-retry"),
        List.of(new RunRecord(1, Map.of(), List.of(), List.of(), 0)));
  }
}
