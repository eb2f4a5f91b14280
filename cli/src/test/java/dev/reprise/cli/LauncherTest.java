package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code ./reprise}, in a checkout whose Maven and Java only say what they are told. */
class LauncherTest {
  @TempDir private Path folder;
  private Path root;

  private record Run(int exitCode, String out, String err) {}

  @BeforeEach
  void layOut() throws IOException {
    // As a work tree of the branch main in ~/src is.
    root = Files.createDirectories(folder.resolve("src/main"));
    Files.createDirectory(root.resolve("cli"));
    Files.createDirectory(root.resolve(".mvn"));
    for (String script : List.of("reprise", "cli/launch.sh", ".mvn/maven.sh")) {
      Files.copy(Path.of("..", script), root.resolve(script));
    }
    Files.createFile(root.resolve("pom.xml"));
    script("bin/javac", "exit 0");
    script("bin/java", "for last; do :; done; echo \"java ran $last\"");
    Files.writeString(root.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
  }

  @Test
  void theFirstRunTellsHowFarTheBuildIsAndTheNextOneBuildsNothing() throws Exception {
    script(
        "bin/mvn",
        """
        echo '[INFO] Scanning for projects...'
        echo '[INFO] Downloaded from central: some:///a.jar (1 kB at 1 kB/s)'
        echo '[INFO] Building Reprise 0.1.0-SNAPSHOT                       [1/2]'
        echo '[INFO] Building Reprise Core 0.1.0-SNAPSHOT                  [2/2]'
        echo '[INFO] Building jar: /somewhere/a.jar'
        mkdir -p cli/target/lib
        touch cli/target/reprise-cli-1.jar cli/target/lib/a.jar
        """);

    Run first = run();

    assertThat(first.exitCode()).as(first.err()).isZero();
    assertThat(first.out()).isEqualTo("java ran version\n");
    assertThat(first.err().lines())
        .containsExactly(
            "reprise: building, once: about a minute where Maven has to fetch the libraries",
            "reprise: building Reprise [1/2]",
            "reprise: building Reprise Core [2/2]");
    assertThat(run().err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"core", "smithy/generator", "service/cluster", "service/endpoints/sms"})
  void whatChangesInAModuleOfTheServiceIsBuilt(String module) throws Exception {
    script(
        "bin/mvn",
        """
        echo "$*" >>calls
        mkdir -p cli/target/lib
        touch cli/target/reprise-cli-1.jar cli/target/lib/a.jar
        """);
    Path main = Files.createDirectories(root.resolve(module + "/src/main/java"));
    Path test = Files.createDirectories(root.resolve(module + "/src/test/java"));
    run();
    Path built = root.resolve("cli/target/built.marker");
    Files.setLastModifiedTime(built, FileTime.from(Instant.now().plusSeconds(60)));

    Files.setLastModifiedTime(test, FileTime.from(Instant.now().plusSeconds(120)));
    Path readme = Files.createFile(root.resolve(module + "/README.md"));
    Files.setLastModifiedTime(readme, FileTime.from(Instant.now().plusSeconds(120)));
    assertThat(run().err()).isEmpty();

    Files.setLastModifiedTime(
        Files.createFile(main.resolve("A.java")), FileTime.from(Instant.now().plusSeconds(120)));
    assertThat(run().err()).contains("reprise: building");
    assertThat(Files.readAllLines(root.resolve("calls"))).hasSize(2);
  }

  @Test
  void onlyTheFirstBuildIsOnline() throws Exception {
    script(
        "bin/mvn",
        """
        echo "$*" >>calls
        mkdir -p cli/target/lib
        touch cli/target/reprise-cli-1.jar cli/target/lib/a.jar
        """);

    run();
    Files.delete(root.resolve("cli/target/built.marker"));
    run();

    assertThat(Files.readAllLines(root.resolve("calls")))
        .satisfiesExactly(
            first -> assertThat(first).doesNotContain(" -o "),
            second -> assertThat(second).contains(" -o "));
  }

  @Test
  void aBuildThatFailsShowsMavensErrorsAndWhereTheRestIs() throws Exception {
    script("bin/mvn", "echo '[INFO] on the way'; echo '[ERROR] COMPILATION ERROR'; exit 1");

    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains("[ERROR] COMPILATION ERROR\n", "cli/target/build.log")
        .doesNotContain("on the way");
    assertThat(root.resolve("cli/target/build.log")).content().contains("on the way");
  }

  @Test
  void aMavenThatDoesNotStartIsShownWhole() throws Exception {
    script("bin/mvn", "echo 'Unrecognized option: -Xfoo' >&2; exit 1");

    assertThat(run().err()).contains("Unrecognized option: -Xfoo\n", "the build failed");
  }

  @Test
  void aServiceWithFewFileHandlesIsRefusedByName() throws Exception {
    script("bin/mvn", "mkdir -p cli/target/lib; touch cli/target/reprise-cli-1.jar");
    run();

    Run few = runWith("ulimit -n 255; ", "serve");

    assertThat(few.exitCode()).isEqualTo(1);
    assertThat(few.out()).isEmpty();
    assertThat(few.err())
        .isEqualTo(
            "reprise: serve needs 256 open files and the limit is 255: raise ulimit -n"
                + " (LimitNOFILE of its unit, nofile of a container)\n");
    assertThat(runWith("ulimit -n 256; ", "serve").out()).isEqualTo("java ran serve\n");
    assertThat(runWith("ulimit -n 255; ", "version").out()).isEqualTo("java ran version\n");
  }

  private void script(String name, String body) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/usr/bin/env bash\n" + body);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private Run run() throws Exception {
    return runWith("", "version");
  }

  /** Runs a command after others of the shell, such as one that sets a limit. */
  private Run runWith(String before, String command) throws Exception {
    Path out = root.resolve("out");
    Path err = root.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(
                "bash",
                "-c",
                before + "exec bash \"$0\" \"$1\"",
                root.resolve("reprise").toString(),
                command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().put("JAVA_HOME", root.toString());
    builder.environment().put("MAVEN_OPTS", "-Dmaven.repo.local=" + root.resolve("repository"));
    builder.environment().remove("REPRISE_JAVA_OPTS");
    builder.environment().merge("PATH", root.resolve("bin") + ":", (path, bin) -> bin + path);
    Process process = builder.start();
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    return new Run(process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
  }
}
