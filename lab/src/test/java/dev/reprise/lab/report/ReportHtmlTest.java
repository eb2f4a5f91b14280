package dev.reprise.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportHtmlTest {
  private static final String HOSTILE =
      "</title></script><script>alert(1)</script><img src=x"
          + " onerror=alert(2)>\"'&amp;\u202Etxt\u0000";

  @Test
  void thePageNeedsNothingBesideItself() {
    String html = MadeUp.fleetHtml().replace(ChartJs.script(), "");

    assertThat(html).doesNotContain("http://", "https://", "url(", "@import", "src=", "<link");
    assertThat(html).doesNotContain("sourceMappingURL", " style=");
    // What follows a reference can only be a place on the page.
    assertThat(html).doesNotContainPattern("href=\"[^#]");
  }

  @Test
  void itsPolicyAllowsItsOwnStyleAndScriptsAndNothingElse() throws Exception {
    String html = MadeUp.fleetHtml();
    List<String> hashes = new ArrayList<>();
    Matcher parts = Pattern.compile("(?s)<(style|script)>(.*?)</\\1>").matcher(html);
    while (parts.find()) {
      byte[] text = parts.group(2).getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text);
      hashes.add("'sha256-" + Base64.getEncoder().encodeToString(digest) + "'");
    }

    assertThat(hashes).hasSize(3);
    assertThat(html)
        .contains(
            "content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src %s;"
                .formatted(hashes.get(0)))
        .contains("; script-src %s %s\">".formatted(hashes.get(1), hashes.get(2)));
  }

  @Test
  void itHasEveryPartThatItsDataAllow() throws Exception {
    assertThat(sections(MadeUp.fleetHtml()))
        .containsExactly(
            "findings",
            "sweep",
            "written",
            "notes",
            "compared",
            "connected",
            "arrivals",
            "tradeoff",
            "attempts",
            "delays",
            "figures",
            "policies");
    assertThat(sections(MadeUp.rampReport().html()))
        .containsExactly(
            "findings", "compared", "arrivals", "queue", "loop", "attempts", "figures", "policies");
  }

  @Test
  void everyPolicyHasAPanelWithTheSameAxes() throws Exception {
    Element arrivals = section(MadeUp.fleetHtml(), "arrivals");

    assertThat(texts(arrivals, "figure", "b"))
        .containsExactly("full jitter", "equal jitter", "as printed by the vendor");
    Set<String> axes = new HashSet<>();
    for (JsonNode plot : plots(MadeUp.fleetHtml(), "arrivals")) {
      axes.add(plot.get("x") + " " + plot.get("y"));
    }
    assertThat(axes).hasSize(1);
  }

  @Test
  void everyChartSaysWhatItShowsToThoseWhoDoNotSeeIt() throws Exception {
    Document page = parsed(MadeUp.fleetHtml());
    NodeList charts = page.getElementsByTagName("canvas");

    assertThat(charts.getLength()).isGreaterThan(15);
    for (int i = 0; i < charts.getLength(); i++) {
      Element chart = (Element) charts.item(i);
      assertThat(chart.getAttribute("role")).isEqualTo("img");
      assertThat(chart.getAttribute("aria-label")).hasSizeGreaterThan(20);
      assertThat(chart.getAttribute("data-plot")).isEqualTo(String.valueOf(i));
    }
  }

  @Test
  void namesAndTextsFromOutsideStayText() throws Exception {
    List<String> names = List.of(HOSTILE, "plain");
    Report report =
        new Report(
            MadeUp.scenario(HOSTILE, HOSTILE, MadeUp.fleet(), names),
            List.of(MadeUp.fleetResult(HOSTILE, 2, 2), MadeUp.fleetResult("plain", 3, 2)),
            List.of(new Note(HOSTILE, HOSTILE, HOSTILE)),
            sweepOf(names));

    String html = report.html();

    assertThat(html).doesNotContain("<img", "onerror=alert(2)>\"", "\u202E", "\u0000");
    assertThat(parsed(html).getElementsByTagName("script").getLength()).isEqualTo(3);
    assertThat(plots(html, "arrivals")).hasSize(2);
    assertThat(html).contains("&lt;/script&gt;&lt;script&gt;alert(1)");
  }

  @Test
  void loopsSayOfEachPolicyHowItCameBack() throws Exception {
    List<String> names = List.of("bears", "back", "down");
    Report report =
        new Report(
            MadeUp.scenario("ramp", "", MadeUp.ramp(), names),
            List.of(
                MadeUp.rampResult("bears", false),
                MadeUp.rampResult("back", true),
                MadeUp.rampResultThatStaysDown("down")),
            List.of(),
            null);

    assertThat(texts(section(report.html(), "loop"), "figcaption", "span"))
        .containsExactly(
            "bears on the way back what it bore before",
            "comes back: hysteresis 45/s",
            "does not come back within the ramp: hysteresis \u2265\u00a070/s");
    assertThat(report.figuresCsv())
        .contains("back,hysteresis,/s,45,45,45,3")
        .contains("down,hysteresis,/s,70,70,never,3,,,");
    assertThat(texts(section(report.html(), "arrivals"), "figcaption", "b")).hasSize(3);
    assertThat(report.html()).contains("Load over time").doesNotContain("Load against capacity");
  }

  @Test
  void spreadsStayWithinWhatIsPossibleAndNothingIsSaidToBeNothing() throws Exception {
    RunRecord run = delayed(new double[] {56, 72, 80}, 0, 100, 0);
    RunRecord none = delayed(new double[] {0}, 100);
    RunRecord twice = delayed(new double[] {16, 24}, 0, 100);
    Policy capped = Presets.policy("iot-core-64s");
    Policy few =
        PolicyDocuments.read(
            """
            {"strategy": "standard", "maxAttempts": 3, "budget": "unlimited",
             "backoff": {"type": "exponential", "base": "10s", "cap": "40s", "jitter": "full"}}
            """);
    Report report =
        new Report(
            MadeUp.scenario("delays", "", MadeUp.ramp(), List.of("a", "b", "c")),
            List.of(
                new PolicyResult("a", capped, List.of(run)),
                new PolicyResult("b", capped, List.of(none)),
                new PolicyResult("c", few, List.of(twice))),
            List.of(),
            null);

    Element delays = section(report.html(), "delays");
    assertThat(texts(delays, "figcaption", "span"))
        .containsExactly(
            "half within about 60\u00a0s, 99\u00a0% within about 63.9\u00a0s",
            "all 0\u00a0s", "half within about 18\u00a0s, 99\u00a0% within about 20\u00a0s");
    JsonNode histogram = plots(report.html(), "delays").get(0).get("histogram");
    assertThat(histogram.get("bounds")).hasToString("[56,72,80]");
    assertThat(histogram.get("counts")).hasToString("[0,100,0]");
  }

  private static RunRecord delayed(double[] bounds, long... counts) {
    Distribution delays = new Distribution(Distribution.DELAYS, "s", bounds, counts);
    return new RunRecord(1, Map.of(), List.of(), List.of(delays), 1);
  }

  @Test
  void panelsOfRunsOfAnyLengthHaveBinsOfOneWidthThatBeginAtTheEdge() throws Exception {
    List<PolicyResult> results = new ArrayList<>();
    results.add(contended("fast", 0.1, 20, 2));
    results.add(contended("slow", 1, 64, 63.8));
    ContentionModel model = new ContentionModel(100, Duration.ofMillis(10), Duration.ofMillis(2));
    Report report =
        new Report(
            MadeUp.scenario("contention", "", model, List.of("fast", "slow")),
            results,
            List.of(),
            null);

    Element arrivals = section(report.html(), "arrivals");
    assertThat(texts(arrivals, "figcaption", "span"))
        .containsExactly("all done after 2\u00a0s", "all done after 63.8\u00a0s");
    List<JsonNode> plots = plots(report.html(), "arrivals");
    assertThat(plots.get(0).at("/rules/0/name").stringValue()).isEqualTo("all done");
    assertThat(plots.get(1).at("/rules/0/name").stringValue()).isEqualTo("goes on \u2192");
    assertThat(plots.get(0).at("/lines/0/bin").doubleValue()).isEqualTo(1);
    assertThat(plots.get(1).at("/lines/0/bin").doubleValue()).isEqualTo(1);
    // Two seconds of the fast one are two bins as wide as those of the slow one.
    assertThat(TimeFrame.of(model, Outcome.all(results)).binSeconds()).isEqualTo(1);
    assertThat(TimeFrame.of(model, Outcome.all(results)).shownSeconds()).isGreaterThan(20);
  }

  private static PolicyResult contended(String name, double bin, int bins, double seconds) {
    double[] values = new double[bins];
    Arrays.fill(values, 50);
    RunRecord run =
        new RunRecord(
            1,
            Map.of(Figure.DRAIN_LAST, seconds, Figure.SUCCESS, 1.0),
            List.of(new Series(Series.ARRIVALS, "/s", bin, values)),
            List.of(),
            1);
    return new PolicyResult(name, Presets.policy("no-retry"), List.of(run));
  }

  @Test
  void fourPanelsStandTwoByTwo() {
    List<String> panels = List.of("", "", "", "");
    assertThat(Panels.section("a", "b", "c", panels)).contains("class=\"panels four\"");
    assertThat(Panels.section("a", "b", "c", panels.subList(0, 3))).contains("class=\"panels\"");
  }

  @Test
  void aPlotIsToldWhatItsDotsAreAndWhenItsAxesAreLogarithmic() {
    List<String> names = List.of("a", "b", "c");
    double[] drains = {240, 650, Double.POSITIVE_INFINITY};
    List<PolicyResult> results = new ArrayList<>();
    for (int i = 0; i < drains.length; i++) {
      Map<Figure, Double> figures = Map.of(Figure.DRAIN_LAST, drains[i], Figure.PEAK_RATIO, 6.0);
      RunRecord run = new RunRecord(1, figures, List.of(), List.of(), 1);
      results.add(new PolicyResult(names.get(i), Presets.policy("no-retry"), List.of(run)));
    }
    Plots plots = new Plots();
    new TradeOffChart(plots, Outcome.all(results)).html();

    JsonNode plot = JsonMapper.shared().readTree(plots.json()).get(0);
    assertThat(plot.get("x")).hasToString("{\"unit\":\"s\",\"evenUpTo\":6}");
    assertThat(plot.get("y")).hasToString("{\"unit\":\"\u00d7\",\"evenUpTo\":6}");
    assertThat(plot.get("bubbles")).hasSize(3);
    assertThat(plot.at("/bubbles/0/x").doubleValue()).isEqualTo(240);
    assertThat(plot.at("/bubbles/2/x").stringValue()).isEqualTo("never");
  }

  @Test
  void halvesOfCharactersAndLoneNamesDoNotBreakThePage() throws Exception {
    for (String name : List.of("", " ", "\uD83D", "\uDE80\uD83D", "a".repeat(5_000), "\uFFFE")) {
      Report report =
          new Report(
              MadeUp.scenario(name, name, MadeUp.fleet(), List.of(name)),
              List.of(MadeUp.fleetResult(name, 2, 1)),
              List.of(),
              null);
      String html = report.html();

      parsed(html);
      assertThat(new String(html.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
          .isEqualTo(html);
    }
  }

  @Test
  void theLocaleChangesNothing() {
    String before = MadeUp.fleetHtml();
    Locale locale = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      assertThat(MadeUp.fleetReport().html()).isEqualTo(before);
      Locale.setDefault(Locale.forLanguageTag("tr"));
      assertThat(MadeUp.fleetReport().html()).isEqualTo(before);
    } finally {
      Locale.setDefault(locale);
    }
  }

  @Test
  void tenPoliciesOverFourHoursStayBelowAMegabyte() {
    List<String> names = new ArrayList<>();
    List<PolicyResult> results = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      names.add("policy " + i);
      results.add(
          new PolicyResult(
              names.get(i),
              MadeUp.fleetResult("", 2, 1).policy(),
              // None of them ever drains, so that all bins are drawn.
              List.of(MadeUp.fleetRun(30 + i, 1, 14_400))));
    }
    Report report =
        new Report(MadeUp.scenario("ten", "", MadeUp.fleet(), names), results, List.of(), null);

    assertThat(report.html().length()).isBetween(200_000, 1_000_000);
  }

  @Test
  void aLineHasTwoThousandValuesAtMostAndEndsWithItsAxis() {
    double[] values = new double[50_000];
    Arrays.setAll(values, i -> i % 2);
    Series series = new Series(Series.ARRIVALS, "/s", 1, values);

    JsonNode line =
        new Plot(new Axis("s"), new Axis(""), 100)
            .series(series, 0, 40_000, "area", 0, "attempts")
            .json()
            .at("/lines/0");
    assertThat(line.get("bin").doubleValue()).isEqualTo(20);
    assertThat(line.get("values")).hasSize(2_000);
    assertThat(line.get("values").get(7).doubleValue()).isEqualTo(0.5);
  }

  @Test
  void devicesThatAreBackAreShownFromRecoveryOnBesideTheIdeal() throws Exception {
    JsonNode plot = plots(MadeUp.fleetHtml(), "connected").get(0);

    assertThat(plot.get("lines")).hasSize(4);
    assertThat(plot.at("/lines/0/style").stringValue()).isEqualTo("ideal");
    assertThat(plot.at("/lines/0/from").doubleValue()).isZero();
    for (int i = 1; i < 4; i++) {
      JsonNode line = plot.get("lines").get(i);
      assertThat(line.get("style").stringValue()).isEqualTo("level");
      assertThat(line.get("from").doubleValue()).isEqualTo(60);
      assertThat(line.get("values").size()).isBetween(100, 2_000);
    }
  }

  @Test
  void aScenarioWithoutFiguresAndSeriesIsStillAPage() throws Exception {
    PolicyResult empty = EmptyRuns.result("p");
    Report report =
        new Report(
            MadeUp.scenario("empty", "", MadeUp.ramp(), List.of("p")),
            List.of(empty),
            List.of(),
            null);

    assertThat(sections(report.html())).containsExactly("policies");
    assertThat(report.figuresCsv().lines()).hasSize(1);
    assertThat(report.seriesCsv()).isEqualTo("policy,seconds\n");
  }

  @Test
  void textStandsOutFromThePaperInBothThemes() {
    for (Palette.Colour ink : Palette.INKS) {
      assertThat(contrast(ink.light(), Palette.PAPER.light()))
          .describedAs("%s on light paper", ink.name())
          .isGreaterThan(4.5);
      assertThat(contrast(ink.dark(), Palette.PAPER.dark()))
          .describedAs("%s on dark paper", ink.name())
          .isGreaterThan(4.5);
    }
  }

  @Test
  void theStyleSheetUsesNoColourThatThePaletteDoesNotGive() {
    String css = Resources.text("report.css");
    Matcher used = Pattern.compile("var\\(--(\\w+)").matcher(css);

    assertThat(css).doesNotContainPattern("#[0-9a-fA-F]{3,8}\\b(?=[;} ])");
    Set<String> given = new HashSet<>(Set.of("c"));
    Matcher names = Pattern.compile("--(\\w+):").matcher(Palette.css());
    while (names.find()) {
      given.add(names.group(1));
    }
    while (used.find()) {
      assertThat(given).contains(used.group(1));
    }
  }

  /** The contrast ratio of WCAG 2.2. */
  private static double contrast(String one, String other) {
    double first = luminance(one);
    double second = luminance(other);
    return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
  }

  private static double luminance(String colour) {
    double luminance = 0;
    double[] weights = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; i++) {
      double part = Integer.parseInt(colour.substring(1 + 2 * i, 3 + 2 * i), 16) / 255.0;
      luminance +=
          weights[i] * (part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
    }
    return luminance;
  }

  private static SweepResult sweepOf(List<String> names) {
    return new SweepResult(
        HOSTILE,
        HOSTILE,
        List.of(
            new SweepResult.Point(1, names.stream().map(n -> MadeUp.fleetResult(n, 2, 1)).toList()),
            new SweepResult.Point(
                2, names.stream().map(n -> MadeUp.fleetResult(n, 3, 1)).toList())));
  }

  private static List<String> sections(String html) throws Exception {
    List<String> ids = new ArrayList<>();
    NodeList sections = parsed(html).getElementsByTagName("section");
    for (int i = 0; i < sections.getLength(); i++) {
      ids.add(((Element) sections.item(i)).getAttribute("id"));
    }
    return ids;
  }

  private static Element section(String html, String id) throws Exception {
    NodeList sections = parsed(html).getElementsByTagName("section");
    for (int i = 0; i < sections.getLength(); i++) {
      if (((Element) sections.item(i)).getAttribute("id").equals(id)) {
        return (Element) sections.item(i);
      }
    }
    throw new AssertionError("no section " + id);
  }

  private static List<String> texts(Element parent, String within, String tag) {
    List<String> texts = new ArrayList<>();
    NodeList parts = parent.getElementsByTagName(within);
    for (int i = 0; i < parts.getLength(); i++) {
      NodeList found = ((Element) parts.item(i)).getElementsByTagName(tag);
      for (int j = 0; j < found.getLength(); j++) {
        texts.add(found.item(j).getTextContent());
      }
    }
    return texts;
  }

  /** The data of the plots of a section. */
  private static List<JsonNode> plots(String html, String section) throws Exception {
    NodeList scripts = parsed(html).getElementsByTagName("script");
    JsonNode all = JsonMapper.shared().readTree(scripts.item(0).getTextContent());
    List<JsonNode> plots = new ArrayList<>();
    NodeList canvases = section(html, section).getElementsByTagName("canvas");
    for (int i = 0; i < canvases.getLength(); i++) {
      Element canvas = (Element) canvases.item(i);
      plots.add(all.get(Integer.parseInt(canvas.getAttribute("data-plot"))));
    }
    return plots;
  }

  /** Reads the page as XML, once the few elements of HTML that do not end are ended. */
  private static Document parsed(String html) throws Exception {
    String xml =
        html.replace("<!DOCTYPE html>\n", "")
            .replaceAll("(<meta [^>]*)>", "$1/>")
            .replaceAll("(?s)<style>.*?</style>", "<style/>")
            .replaceAll("(?s)<script>.*?</script>", "<script/>");
    DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    builder.setErrorHandler(null);
    return builder.parse(new InputSource(new StringReader(xml)));
  }
}
