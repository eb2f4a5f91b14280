package dev.reprise.cli.smithy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.smithy.RetryErrorsSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SmithyCommandTest {
  private static final String MODEL =
      """
      $version: "2"
      namespace example.weather
      use aws.protocols#restJson1

      @restJson1
      service Weather { version: "2026", operations: [GetForecast] }

      @readonly
      @http(method: "GET", uri: "/forecast")
      operation GetForecast {
          input := {}
          output := {}
          errors: [NoSuchCity, StorageBusy]
      }

      @error("client") @httpError(404)
      structure NoSuchCity {
          message: String
          near: Cities
      }

      list Cities { member: City }

      structure City { name: String }

      @error("server") @retryable
      structure StorageBusy { message: String }
      """;

  private static final String PLAIN =
      """
      $version: "2"
      namespace example.plain
      @error("client")
      structure Gone { message: String }
      """;

  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private Path weather() throws IOException {
    return file("model/weather.smithy", MODEL);
  }

  private Path out() {
    return folder.resolve("out");
  }

  private CommandRun.Result run(String... args) {
    List<String> all = new ArrayList<>(List.of("smithy", "-o", out().toString()));
    all.addAll(List.of(args));
    return CommandRun.run(all.toArray(String[]::new));
  }

  private List<String> written() throws IOException {
    if (!Files.exists(out())) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(out())) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> out().relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  private static JsonNode json(CommandRun.Result result) {
    assertThat(result.err()).isEmpty();
    return new JsonMapper().readTree(result.out());
  }

  private void assertRefused(CommandRun.Result run, int exitCode) throws IOException {
    assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    assertThat(run.out()).isEmpty();
    assertThat(written()).isEmpty();
  }

  @Test
  void aModelIsGeneratedAndTheNextStepTold() throws IOException {
    CommandRun.Result run = run(weather().toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .containsPattern(
            "^generated 2 exceptions, 1 type and 1 companion \\(WeatherHttpErrors\\) in .*out in"
                + " [0-9]+\\.[0-9] s\n")
        .contains("2 warnings in the model")
        .endsWith(
            "\n  throw WeatherHttpErrors.read(response.statusCode(), response.headers().map(),"
                + " response.body());\n");
    assertThat(written())
        .contains(
            "example/weather/errors/City.java",
            "example/weather/errors/NoSuchCity.java",
            "example/weather/errors/StorageBusy.java",
            "example/weather/errors/WeatherHttpErrors.java")
        .allMatch(name -> name.endsWith(".java"));
  }

  @Test
  void jsonTellsTheSame() throws IOException {
    JsonNode answer = json(run(weather().toString(), "--json", "--verbose"));

    assertThat(answer.path("exceptions").intValue()).isEqualTo(2);
    assertThat(answer.path("types").intValue()).isEqualTo(1);
    assertThat(answer.path("companions").path(0).stringValue()).isEqualTo("WeatherHttpErrors");
    assertThat(answer.path("written")).hasSize(written().size());
    assertThat(answer.path("warningCount").intValue()).isEqualTo(2);
    assertThat(answer.path("warnings").path(0).path("file").stringValue())
        .endsWith("weather.smithy");
    assertThat(answer.path("config").isNull()).isTrue();
  }

  @Test
  void foldersAndJarsAreModelsToo() throws IOException {
    weather();
    file("model/deep/plain.smithy", PLAIN);
    Path jar = folder.resolve("more.jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (String[] entry :
          new String[][] {
            {"META-INF/smithy/manifest", "more.smithy\n"},
            {"META-INF/smithy/more.smithy", PLAIN.replace("example.plain", "example.more")}
          }) {
        zip.putNextEntry(new ZipEntry(entry[0]));
        zip.write(entry[1].getBytes(java.nio.charset.StandardCharsets.UTF_8));
      }
    }

    String model = folder.resolve("model").toString();

    CommandRun.Result run = run(model, jar.toString(), "--package", "a.b");

    assertThat(run.out()).as(run.err()).startsWith("generated 4 exceptions");
    JsonNode one = json(run(jar.toString(), "--json"));
    assertThat(one.path("exceptions").intValue()).isEqualTo(1);
  }

  @Test
  void errorsInSeveralNamespacesNeedAPackage() throws IOException {
    file("model/plain.smithy", PLAIN);
    file("model/other.smithy", PLAIN.replace("example.plain", "example.other"));

    CommandRun.Result run = run(folder.resolve("model").toString());

    assertRefused(run, ExitCode.WRONG_USAGE);
    assertThat(run.err()).startsWith("reprise: --package is missing");
  }

  @Test
  void whatTheModelsOwnerShouldKnowIsSaid() throws IOException {
    String model = MODEL.replace("@restJson1", "@restXml").replace("#restJson1", "#restXml");

    CommandRun.Result run = run(file("weather.smithy", model).toString());

    assertThat(run.out())
        .startsWith("generated 2 exceptions, 1 type and 0 companions in ")
        .contains("  note: example.weather#Weather gets no class that reads responses");
    assertThat(run.out().lines().skip(1)).allMatch(line -> line.length() <= 100);
  }

  @Test
  void exceptionsWithoutAServiceAreThrownByHand() throws IOException {
    CommandRun.Result run = run(file("plain.smithy", PLAIN).toString());

    assertThat(run.out())
        .startsWith("generated 1 exception, 0 types and 0 companions in ")
        .endsWith("\n  Retry.ofDefaults().call(() -> client.call());\n");
  }

  @Test
  void errorsOfTheModelAreShownWithTheirPlaceAndNothingIsWritten() throws IOException {
    String broken = MODEL.replace("near: Cities", "near: Towns");
    CommandRun.Result run = run(file("weather.smithy", broken).toString());

    assertRefused(run, ExitCode.FAILED);
    assertThat(run.err())
        .containsPattern("weather\\.smithy:19:[0-9]+: error: .*Towns.* \\[Target")
        .endsWith("reprise: the model has 1 error: nothing written\n");
  }

  @Test
  void errorsOfTheModelAreJsonWhereItIsAskedFor() throws IOException {
    CommandRun.Result run =
        run(
            file("weather.smithy", MODEL.replace("near: Cities", "near: Towns")).toString(),
            "--json");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    JsonNode error = new JsonMapper().readTree(run.out()).path("modelErrors").path(0);
    assertThat(error.path("line").intValue()).isEqualTo(19);
    assertThat(error.path("message").stringValue()).contains("Towns");
    assertThat(written()).isEmpty();
  }

  @Test
  void aFileThatIsNoSmithyIsAnErrorOfTheModel() throws IOException {
    assertRefused(run(file("a.smithy", "hello").toString()), ExitCode.FAILED);
    assertRefused(run(file("a.json", "{").toString()), ExitCode.FAILED);
    assertRefused(run(file("a.jar", "no archive").toString()), ExitCode.FAILED);
  }

  @Test
  void whatIsNoModelIsRefusedByItsName() throws IOException {
    CommandRun.Result missing = run("nowhere.smithy");
    assertRefused(missing, ExitCode.WRONG_USAGE);
    assertThat(missing.err()).isEqualTo("reprise: there is no file nowhere.smithy\n");

    CommandRun.Result text = run(file("notes.txt", "").toString());
    assertRefused(text, ExitCode.WRONG_USAGE);
    assertThat(text.err()).contains("notes.txt is no model: must be a folder, or end with .smithy");
  }

  @Test
  void aModelWithoutErrorsIsNothingToGenerate() throws IOException {
    Path model = file("none.smithy", "$version: \"2\"\nnamespace a.b\nstring Name\n");

    CommandRun.Result run = run(model.toString());

    assertRefused(run, ExitCode.FAILED);
    assertThat(run.err()).contains("no structure with @error in ").contains("none.smithy");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--service|nothing|--service is \"nothing\": must be namespace#Name",
        "--service|example.weather#Wether|--service is \"example.weather#Wether\"",
        "--package|a.class|--package is \"a.class\": must be a Java package name"
      })
  void wrongOptionsAreNamed(String option, String value, String message) throws IOException {
    CommandRun.Result run = run(weather().toString(), option, value);

    assertRefused(run, ExitCode.WRONG_USAGE);
    assertThat(run.err()).startsWith("reprise: " + message);
  }

  @Test
  void settingsComeFromTheConfigurationOfABuildAndOptionsWin() throws IOException {
    Path config =
        file(
            "smithy-build.json",
            """
            {"version": "1.0", "projections": {"java": {"plugins": {"java-retry-errors":
                {"service": "example.weather#Weather", "package": "com.example.one"}}}}}
            """);

    CommandRun.Result run = run(weather().toString(), "--config", config.toString());
    assertThat(run.out())
        .contains("settings of " + config + ", projections.java.plugins.java-retry-errors\n");
    assertThat(written()).isNotEmpty().allMatch(name -> name.startsWith("com/example/one/"));

    JsonNode answer =
        json(
            run(
                weather().toString(),
                "--config",
                config.toString(),
                "--package",
                "com.example.two",
                "--json"));
    assertThat(answer.path("written"))
        .isNotEmpty()
        .allMatch(name -> name.stringValue().startsWith("com/example/two/"));
    assertThat(answer.path("config").stringValue()).isEqualTo(config.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"version\": \"1.0\", \"plugins\": {\"java-retry-errors\": {\"packge\": \"a\"}}}"
            + "|: plugins.java-retry-errors: \"packge\" is no setting",
        "{\"version\": \"1.0\", \"plugins\": {\"java-retry-errors\": {\"service\": 7}}}"
            + "|: plugins.java-retry-errors: service is 7: must be a string",
        "{\"version\": \"1.0\", \"plugins\": {\"java-retry-errors\": {\"service\": \"a#B\"}}}"
            + "|: plugins.java-retry-errors: service is \"a#B\"",
        "{\"version\": \"1.0\", \"plugins\": {}}| has no plugins.java-retry-errors",
        "{\"version\": \"1.0\", \"projections\": {\"a\": {\"plugins\": {\"java-retry-errors\":"
            + " {}}}, \"b\": {\"plugins\": {\"java-retry-errors\": {}}}}}| has settings at"
            + " projections.a.plugins.java-retry-errors and projections.b.",
        "{| cannot be used: "
      })
  void aWrongConfigurationIsNamed(String text, String message) throws IOException {
    Path config = file("build.json", text);

    CommandRun.Result run = run(weather().toString(), "--config", config.toString());

    assertRefused(run, ExitCode.FAILED);
    assertThat(run.err()).startsWith("reprise: " + config).contains(message);
  }

  @Test
  void aConfigurationThatIsNotThereIsNamed() throws IOException {
    CommandRun.Result run = run(weather().toString(), "--config", "nowhere.json");

    assertRefused(run, ExitCode.WRONG_USAGE);
    assertThat(run.err()).isEqualTo("reprise: --config: there is no file nowhere.json\n");
  }

  @Test
  void theConfigurationOfAFolderIsUsedIfItNamesThePlugin() throws IOException {
    RetryErrorsSettings none = RetryErrorsSettings.defaults();
    assertThat(SmithyConfig.in(folder)).isEqualTo(new SmithyConfig(none, null, ""));

    Path usual = file("smithy-build.json", "{\"version\": \"1.0\", \"plugins\": {\"other\": {}}}");
    assertThat(SmithyConfig.in(folder)).isEqualTo(new SmithyConfig(none, null, ""));

    file(
        "smithy-build.json",
        "{\"version\": \"1.0\", \"plugins\": {\"java-retry-errors\": {\"package\": \"a.b\"}}}");
    assertThat(SmithyConfig.in(folder))
        .isEqualTo(
            new SmithyConfig(
                new RetryErrorsSettings(null, "a.b"), usual, "plugins.java-retry-errors"));
  }

  @Test
  void whatHasNotChangedIsNotWrittenAgain() throws IOException {
    run(weather().toString());
    FileTime long_ago = FileTime.fromMillis(1_000_000_000_000L);
    for (String name : written()) {
      Files.setLastModifiedTime(out().resolve(name), long_ago);
    }
    Files.writeString(out().resolve("example/weather/errors/NoSuchCity.java"), "edited");

    CommandRun.Result again = run(weather().toString());

    assertThat(again.out())
        .contains("  1 file written, " + (written().size() - 1) + " as they were");
    for (String name : written()) {
      assertThat(Files.getLastModifiedTime(out().resolve(name)).equals(long_ago))
          .as(name)
          .isEqualTo(!name.endsWith("/NoSuchCity.java"));
    }
  }

  @Test
  void whatIsNoLongerGeneratedGoesAndWhatSomebodyWroteStays() throws IOException {
    run(weather().toString());
    Path own = Files.writeString(out().resolve("example/weather/errors/Own.java"), "class Own {}");

    CommandRun.Result again =
        run(file("model/weather.smithy", MODEL.replace("StorageBusy", "StoreBusy")).toString());

    assertThat(again.out())
        .contains("  removed, no longer in the model: example/weather/errors/StorageBusy.java\n")
        .contains("  left, was not generated: example/weather/errors/Own.java\n");
    assertThat(own).hasContent("class Own {}");
    assertThat(written())
        .contains("example/weather/errors/StoreBusy.java")
        .doesNotContain("example/weather/errors/StorageBusy.java");
  }

  @Test
  void anOutputThatIsAFileIsRefused() throws IOException {
    Path taken = file("out", "mine");

    CommandRun.Result run = CommandRun.run("smithy", weather().toString(), "-o", taken.toString());

    assertThat(run.exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run.err()).contains("--output " + taken + " is a file: must be a folder");
    assertThat(taken).hasContent("mine");
  }

  @Test
  void noHalfFileIsLeftWhereWritingFails() throws IOException {
    Path inTheWay = out().resolve("a/B.java");
    Files.createDirectories(inTheWay.resolve("full"));
    TreeMap<String, String> files = new TreeMap<>();
    files.put("a/B.java", "class B {}");

    assertThatThrownBy(() -> GeneratedFolder.write(out(), files))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("--output " + out() + " cannot be written");
    assertThat(out().resolve("a/B.java.next")).doesNotExist();
  }
}
