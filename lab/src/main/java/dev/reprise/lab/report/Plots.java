package dev.reprise.lab.report;

import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The plots of a page, in the order in which they were added. Not thread-safe. */
final class Plots {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .build();

  private final ArrayNode plots = JsonNodeFactory.instance.arrayNode();

  /**
   * Adds a plot.
   *
   * @param label describes it to readers who cannot see it
   * @return the place on the page in which it is drawn
   */
  String place(Plot plot, String label) {
    Markup place = new Markup().open("div", "class", "plot");
    place.element(
        "canvas",
        "",
        "role",
        "img",
        "aria-label",
        label,
        "data-plot",
        String.valueOf(plots.size()));
    plots.add(plot.json());
    return place.close("div").line().toString();
  }

  /** Returns all plots as JSON, one a line, that can stand in a page. */
  String json() {
    StringBuilder json = new StringBuilder("[\n");
    for (int i = 0; i < plots.size(); i++) {
      json.append(i == 0 ? "" : ",\n").append(MAPPER.writeValueAsString(plots.get(i)));
    }
    // No text within may end the element or begin a comment.
    return json.append("\n]\n").toString().replace("<", "\\u003c");
  }
}
