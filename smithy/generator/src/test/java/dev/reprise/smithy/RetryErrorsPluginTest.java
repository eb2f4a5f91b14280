package dev.reprise.smithy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.smithy.build.SmithyBuild;
import software.amazon.smithy.build.SmithyBuildResult;
import software.amazon.smithy.build.model.SmithyBuildConfig;
import software.amazon.smithy.cli.Cli;
import software.amazon.smithy.cli.CliError;
import software.amazon.smithy.cli.CliPrinter;
import software.amazon.smithy.cli.SmithyCli;

/** The plugin in Smithy's own build: the library that Gradle runs, and the command line. */
class RetryErrorsPluginTest {
  private static final String MODEL = "src/test/resources/golden/throttling-error/model.smithy";

  @TempDir private Path folder;

  @Test
  void isFoundByItsNameAndWritesIntoItsFolder() throws IOException {
    SmithyBuildResult result = build("{}");

    assertThat(result.anyBroken()).isFalse();
    Path written =
        folder.resolve("out/source/java-retry-errors/example/seed/errors/ThrottlingError.java");
    assertThat(written)
        .hasContent(
            Files.readString(
                Path.of(
                    "src/test/resources/golden/throttling-error/expected/example/seed/errors/"
                        + "ThrottlingError.java")));
  }

  @Test
  void takesItsSettings() throws IOException {
    build("{\"package\": \"com.example\"}");

    assertThat(folder.resolve("out/source/java-retry-errors/com/example/ThrottlingError.java"))
        .exists();
  }

  @Test
  void aWrongSettingFailsTheBuildAndIsNamed() throws IOException {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    Cli cli = SmithyCli.create().createCli();
    cli.stderr(CliPrinter.fromOutputStream(printed));

    assertThatExceptionOfType(CliError.class)
        .isThrownBy(() -> cli.run(arguments(config("{\"pakage\": \"com.example\"}"))));

    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("\"pakage\" is no setting: the settings are service and package");
    assertThat(folder.resolve("out/source/java-retry-errors/example")).doesNotExist();
  }

  @Test
  void runsFromTheCommandLineOfSmithy() throws IOException {
    SmithyCli.create().run(arguments(config("{}")));

    assertThat(
            folder.resolve("out/source/java-retry-errors/example/seed/errors/ThrottlingError.java"))
        .exists();
  }

  private String[] arguments(Path config) {
    return new String[] {
      "build", "--config", config.toString(), "--output", folder.resolve("out").toString(), MODEL
    };
  }

  private SmithyBuildResult build(String settings) throws IOException {
    return SmithyBuild.create(getClass().getClassLoader())
        .config(SmithyBuildConfig.load(config(settings)))
        .outputDirectory(folder.resolve("out"))
        .registerSources(Path.of(MODEL))
        .model(CompiledErrors.model("golden/throttling-error"))
        .build();
  }

  private Path config(String settings) throws IOException {
    return Files.writeString(
        folder.resolve("smithy-build.json"),
        "{\"version\": \"1.0\", \"plugins\": {\"java-retry-errors\": " + settings + "}}");
  }
}
