package dev.reprise.lab.report;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The library that draws plots, as its WebJar has it. */
final class ChartJs {
  private static final String NAME = "chart.js";

  private ChartJs() {}

  /** Returns Chart.js for browsers, with its licence notice. */
  static String script() {
    Properties jar = new Properties();
    try {
      jar.load(
          new StringReader(
              Resources.text("/META-INF/maven/org.webjars.npm/" + NAME + "/pom.properties")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String folder =
        "/META-INF/resources/webjars/" + NAME + "/" + jar.getProperty("version") + "/dist/";
    // A report has no map beside it, and a browser's tools would ask for one.
    return Resources.text(folder + "chart.umd.min.js")
        .replaceFirst("(?m)^//# sourceMappingURL=.*\\n?", "");
  }
}
