package dev.reprise.server.labs;

import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.server.http.ApiException;
import java.util.List;

/** The bounds on the size of a run in a service that has deliveries to make. */
public final class LabBounds {
  private static final int MAX_DEVICES = 1_000_000;
  private static final int MAX_CALLS = 500_000;
  private static final int MAX_CLIENTS = 10_000;
  private static final int MAX_RUNS = 24;

  private LabBounds() {}

  /** Refuses a scenario that asks for too much, naming the field. */
  public static void check(Scenario scenario) {
    int policies = scenario.policies().size();
    if ((long) policies * scenario.runs() > MAX_RUNS) {
      throw ApiException.invalid(
          "runs",
          String.valueOf(scenario.runs()),
          "must be at most " + MAX_RUNS + " in all; there are " + policies + " policies");
    }
    if (scenario.model() instanceof FleetModel fleet) {
      atMost("fleet.devices", fleet.devices(), MAX_DEVICES);
    } else if (scenario.model() instanceof CallModel calls) {
      atMost("calls.clients.count", calls.clients().count(), MAX_CLIENTS);
      if (calls.clients().load() instanceof CallModel.Load.Open open) {
        atMost("calls.clients.load", calls(open.steps(), calls), MAX_CALLS);
      }
    } else {
      ContentionModel contention = (ContentionModel) scenario.model();
      atMost("contention.clients", contention.clients(), MAX_CLIENTS);
    }
  }

  /** Returns how many calls begin. */
  private static double calls(List<CallModel.Step> steps, CallModel model) {
    double calls = 0;
    for (int i = 0; i < steps.size(); i++) {
      long until =
          i + 1 < steps.size() ? steps.get(i + 1).from().toNanos() : model.duration().toNanos();
      calls += steps.get(i).perSecond() * Math.max(0, until - steps.get(i).from().toNanos()) / 1e9;
    }
    return calls;
  }

  private static void atMost(String field, double value, int most) {
    if (value > most) {
      throw ApiException.invalid(
          field,
          String.valueOf(Math.round(value)),
          "must be at most " + most + " here; ./reprise lab run has no bound");
    }
  }
}
