package dev.reprise.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules of the whole project that no compiler knows; every failure lists all places. */
class ProjectRulesTest {
  private static final Path ROOT = CookbookTest.ROOT;
  private static final int MAX_ROOT_FOLDERS = 12;
  private static final int MAX_NAME_LETTERS = 59;
  private static final int MAX_FILES_OF_A_ROOM = 40;

  /** Rooms that are larger: walls would make 40 of its types public. */
  private static final Set<String> LARGE_ROOMS =
      Set.of("service/delivery/src/main/java/dev/reprise/delivery/shard");

  private static final int MAX_TEST_LINES = 599;

  private static final Pattern TEST_NAME =
      Pattern.compile(
          "(?m)^  @(?:Test|ParameterizedTest|Property|Example|RepeatedTest)\\b(?:.*\\n)*?"
              + "  (?:public |static )*void (\\w+)\\(");
  private static final Pattern CONSTANT =
      Pattern.compile("\\b(?:MOST|LONGEST|LEAST|SHORTEST)_[A-Z_]+ =");
  private static final Pattern JAVADOC_BEGINNING =
      Pattern.compile("/\\*\\*(?:\\s|\\*(?!/))+(?:What|How|Who)\\b");

  /** A test in a document: {@code `ClassTest.method`}, or {@code `.method`} of the class before. */
  private static final Pattern NAMED_TEST = Pattern.compile("`(\\w+Test)?…?(?:\\.([a-z]\\w+))?`");

  private static final Pattern SHARD =
      Pattern.compile("import dev\\.reprise\\.delivery\\.shard\\.");

  /** Wait for a thread without saying in what steps, or for how long at the most. */
  private static final Pattern SLEEP = Pattern.compile("\\b(?:sleep|parkNanos|parkUntil)\\(");

  /** Files of the service that sleep all the same, each with its reason. */
  private static final Map<String, String> SLEEPERS =
      Map.of(
          "delivery/pause/Pauses", "the one place",
          "delivery/store/", "waits below the store, of single threads",
          "delivery/host/ShardLoop", "the pace of turns, to the nanosecond",
          "cluster/broker/SkewedTime", "a clock of a broker, for tests and the demo",
          "server/serve/Service", "the time that balancers are given, once",
          "cli/node/ServeCommand", "the time that probes are given, once",
          "cli/device/DeviceRun", "the pace of a run of devices");

  private static final Pattern SEED = Pattern.compile("(?i)\\bseeds? 00\\d");

  @Test
  void rootHasFewFolders() throws IOException {
    try (Stream<Path> files = Files.list(ROOT)) {
      assertThat(
              files
                  .filter(Files::isDirectory)
                  .map(folder -> folder.getFileName().toString())
                  .filter(name -> !name.startsWith(".") && !name.equals("data"))
                  .filter(name -> !name.startsWith("target"))
                  .sorted())
          .hasSizeLessThanOrEqualTo(MAX_ROOT_FOLDERS);
    }
  }

  @Test
  void contributingKnowsEveryModule() throws IOException {
    String layout = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
    assertThat(modules())
        .allSatisfy(module -> assertThat(layout).as(module).containsPattern("`" + module + "/?`"));
  }

  @Test
  void readmeCountsTheRecipes() throws IOException {
    long recipes =
        Files.readAllLines(ROOT.resolve("COOKBOOK.md")).stream()
            .filter(line -> line.startsWith("## "))
            .count();
    assertThat(Files.readString(ROOT.resolve("README.md"))).contains(" " + recipes + " recipes");
  }

  @Test
  void everyBenchmarkIsListedOnceAndIsInItsPart() throws IOException {
    List<String> names = new ArrayList<>();
    for (String line : Files.readAllLines(ROOT.resolve("bench/list"))) {
      if (line.startsWith("#")) {
        continue;
      }
      String[] words = line.split(" +", 3);
      assertThat(words).as(line).hasSize(3);
      names.add(words[0]);
      // Of these, the suite runs a small dose as tests.
      if (!Set.of("stress", "soak").contains(words[1])) {
        String module = words[1].equals("chaos") ? "testkit/chaos" : "bench/" + words[1];
        assertThat(sources(module + "/src/main"))
            .as(line)
            .anySatisfy(file -> assertThat(file).content().contains('"' + words[0] + '"'));
      }
    }
    assertThat(names).doesNotHaveDuplicates().isNotEmpty();
    assertThat(ROOT.resolve("bench/README.md")).content().contains(names);
  }

  @Test
  void classesThatASecondJdkRunsExist() throws IOException {
    List<String> missing = new ArrayList<>();
    for (String line : Files.readAllLines(ROOT.resolve("testkit/suite/modules"))) {
      if (line.startsWith("#") || line.isBlank()) {
        continue;
      }
      String[] columns = line.split(" +", -1);
      assertThat(columns).as(line).hasSize(6);
      if (columns[4].equals("*") || columns[4].equals("-")) {
        continue;
      }
      Set<String> there = new TreeSet<>();
      for (Path file : sources(columns[0] + "/src/test")) {
        there.add(file.getFileName().toString().replace(".java", ""));
      }
      for (String testClass : columns[4].split(",", -1)) {
        if (!there.contains(testClass)) {
          missing.add(columns[0] + " " + testClass);
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void mainSourcesCiteNoSeed() throws IOException {
    assertThat(placesInMain(SEED)).isEmpty();
  }

  @Test
  void onlyItsHostsKnowTheShard() throws IOException {
    assertThat(placesInMain(SHARD))
        .isNotEmpty()
        .allMatch(
            place -> place.startsWith("service/delivery/") || place.startsWith("service/cluster/"));
  }

  @Test
  void noRoomHasMoreFilesThanOneCanSurvey() throws IOException {
    Map<String, Integer> rooms = new TreeMap<>();
    for (String module : modules()) {
      for (Path file : sources(module + "/src/main")) {
        if (!file.endsWith("package-info.java")) {
          rooms.merge(ROOT.relativize(file.getParent()).toString(), 1, Integer::sum);
        }
      }
    }
    assertThat(rooms.entrySet())
        .filteredOn(room -> room.getValue() > MAX_FILES_OF_A_ROOM)
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrderElementsOf(LARGE_ROOMS);
  }

  /** A loop that retries has a backoff with jitter, and one that looks has a limit. */
  @Test
  void theServiceSleepsInPausesOnly() throws IOException {
    List<String> places =
        placesInMain(SLEEP).stream()
            .filter(place -> place.startsWith("service/") || place.startsWith("cli/"))
            .toList();
    assertThat(places)
        .isNotEmpty()
        .allMatch(place -> SLEEPERS.keySet().stream().anyMatch(place::contains));
    assertThat(SLEEPERS.keySet()).allMatch(file -> places.stream().anyMatch(p -> p.contains(file)));
  }

  @Test
  void boundsAreCalledMaxAndMin() throws IOException {
    assertThat(placesInMain(CONSTANT)).isEmpty();
  }

  @Test
  void javadocBeginsWithNoHeadlessClause() throws IOException {
    assertThat(placesInMain(JAVADOC_BEGINNING)).isEmpty();
  }

  @Test
  void testNamesAreShort() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : testSources()) {
      String text = Files.readString(file);
      Matcher names = TEST_NAME.matcher(text);
      while (names.find()) {
        if (names.group(1).length() > MAX_NAME_LETTERS) {
          found.add(place(file, text, names.start(1)) + " " + names.group(1));
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void testClassesAreShort() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : testSources()) {
      int lines = Files.readAllLines(file).size();
      if (lines > MAX_TEST_LINES) {
        found.add(ROOT.relativize(file) + ":" + lines);
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void testsThatDocumentsNameExist() throws IOException {
    Map<String, String> tests = new HashMap<>();
    for (Path file : testSources()) {
      String name = file.getFileName().toString().replace(".java", "");
      tests.merge(name, Files.readString(file), String::concat);
    }
    List<String> missing = new ArrayList<>();
    for (Path document : documents()) {
      String text = Files.readString(document);
      Matcher named = NAMED_TEST.matcher(text);
      String testClass = null;
      while (named.find()) {
        testClass = named.group(1) == null ? testClass : named.group(1);
        String method = named.group(2);
        if (testClass == null || (named.group(1) == null && method == null)) {
          continue;
        }
        String source = tests.get(testClass);
        if (source == null || (method != null && !source.contains(" void " + method + "("))) {
          missing.add(place(document, text, named.start()) + " " + named.group());
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  /** Returns the documents of the root and of all modules. */
  private static List<Path> documents() throws IOException {
    List<Path> found = new ArrayList<>();
    Set<Path> folders = new TreeSet<>(Set.of(ROOT));
    for (String module : modules()) {
      folders.add(ROOT.resolve(module));
      folders.add(ROOT.resolve(module).getParent());
    }
    for (Path folder : folders) {
      try (Stream<Path> files = Files.list(folder)) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(found::add);
      }
    }
    return found;
  }

  private static List<String> placesInMain(Pattern pattern) throws IOException {
    List<String> found = new ArrayList<>();
    for (String module : modules()) {
      for (Path file : sources(module + "/src/main")) {
        String text = Files.readString(file);
        pattern
            .matcher(text)
            .results()
            .mapToInt(MatchResult::start)
            .forEach(start -> found.add(place(file, text, start)));
      }
    }
    return found;
  }

  private static List<Path> testSources() throws IOException {
    List<Path> found = new ArrayList<>();
    for (String module : modules()) {
      for (Path file : sources(module + "/src/test")) {
        if (file.toString().endsWith("Test.java")) {
          found.add(file);
        }
      }
    }
    return found;
  }

  private static List<String> modules() throws IOException {
    return Pattern.compile("<module>(.*?)</module>")
        .matcher(Files.readString(ROOT.resolve("pom.xml")))
        .results()
        .map(module -> module.group(1))
        .toList();
  }

  private static List<Path> sources(String folder) throws IOException {
    Path root = ROOT.resolve(folder);
    return Files.isDirectory(root) ? CheckoutFiles.endingWith(".java", root) : List.of();
  }

  private static String place(Path file, String text, int start) {
    long line = text.substring(0, start).chars().filter(letter -> letter == '\n').count() + 1;
    return ROOT.relativize(file) + ":" + line;
  }
}
