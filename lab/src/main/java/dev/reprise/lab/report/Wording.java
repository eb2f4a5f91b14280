package dev.reprise.lab.report;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;

/**
 * The nouns of a model: devices come back, calls end, and clients get done.
 *
 * @param one of them
 * @param many of them
 * @param settled how it is said that all of them succeeded
 */
record Wording(String one, String many, String settled) {
  private static final Wording FLEET = new Wording("device", "devices", "back");
  private static final Wording CALLS = new Wording("call", "calls", "back");
  private static final Wording CONTENTION = new Wording("client", "clients", "done");

  static Wording of(Model model) {
    if (model instanceof ContentionModel) {
      return CONTENTION;
    }
    return model instanceof FleetModel ? FLEET : CALLS;
  }

  /** Returns the name of a figure, in words that fit the model. */
  String meaning(Figure figure) {
    String meaning =
        figure.meaning().replace("devices or calls", many).replace("device or call", one);
    return this.equals(CONTENTION)
        ? meaning
            .replace("from recovery until", "from the start until")
            .replace("devices are back", "clients are done")
            .replace("device is back", "client is done")
            .replace("device", "client")
        : meaning;
  }

  /**
   * Returns from when on the calls count that are measured, as a part of a sentence; or nothing.
   */
  static String measured(Model model) {
    return model instanceof CallModel calls && !calls.warmUp().isZero()
        ? " from " + Numbers.shown(TimeFrame.seconds(calls.warmUp()), "s") + " on"
        : "";
  }
}
