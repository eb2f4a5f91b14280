package dev.reprise.lab.report;

import java.util.List;

/** The parts that sections of the page are made of. */
final class Panels {
  private Panels() {}

  /** A section with panels side by side, or nothing when there are none. */
  static String section(String id, String title, String lead, List<String> panels) {
    return section(id, title, lead, "", panels, "panels");
  }

  /** A section with a key to its lines. */
  static String section(
      String id, String title, String lead, String key, List<String> panels, String style) {
    if (panels.isEmpty()) {
      return "";
    }
    Markup section = new Markup();
    section.open("section", "id", id).line().element("h2", title).line();
    section.element("p", lead, "class", "lead").line().raw(key);
    // In rows of three, the last of four would stand alone.
    section.open("div", "class", panels.size() == 4 ? style + " four" : style).line();
    panels.forEach(section::raw);
    return section.close("div").close("section").line().toString();
  }

  /** One chart of one policy. */
  static String panel(Outcome outcome, String note, String plot) {
    return panel(Palette.ofPolicy(outcome.index()), outcome.name(), note, plot);
  }

  /** One chart under a heading. */
  static String panel(String style, String name, String note, String plot) {
    Markup panel = new Markup();
    panel.open("figure", "class", style).open("figcaption");
    panel.element("b", name);
    if (!note.isEmpty()) {
      panel.text(" ").element("span", note);
    }
    return panel.close("figcaption").line().raw(plot).close("figure").line().toString();
  }

  /** Returns a legend: pairs of the class of a sample and its name. */
  static String key(String... samples) {
    Markup key = new Markup().open("p", "class", "key");
    for (int i = 0; i < samples.length; i += 2) {
      key.open("span").element("i", "", "class", samples[i]).text(samples[i + 1]).close("span");
    }
    return key.close("p").line().toString();
  }
}
