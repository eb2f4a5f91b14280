package dev.reprise.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The archive, unpacked into a folder with a space in its name, and its command on a machine that
 * has neither Java nor Maven.
 */
final class Installation {
  /** The archive that was built. */
  static final Path ARCHIVE = Path.of(System.getProperty("reprise.archive"));

  /** All that the launcher asks of a machine. */
  private static final List<String> TOOLS =
      List.of("bash", "dirname", "mv", "readlink", "sed", "stty");

  /**
   * The launcher gives a service and a demo the second compiler, whose work would be half of the
   * processor time of one that lives for seconds.
   */
  private static final String QUICK = "-XX:TieredStopAtLevel=1";

  private static final List<String> SERVING = List.of("serve", "demo");

  private static final List<Path> FOLDERS = List.of(Path.of("/usr/bin"), Path.of("/bin"));

  private final Path folder;
  private final Path root;
  private final Path tools;
  private int runs;

  /** The end of a command. */
  record Run(int exitCode, String out, String err) {}

  private Installation(Path folder, Path root, Path tools) {
    this.folder = folder;
    this.root = root;
    this.tools = tools;
  }

  /** Unpacks the archive below the folder. */
  static Installation in(Path folder) throws Exception {
    Path unpacked = Files.createDirectory(folder.resolve("a place"));
    Process tar =
        new ProcessBuilder("tar", "-xzf", ARCHIVE.toString(), "-C", unpacked.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).as("exit code of tar").isZero();
    Path tools = Files.createDirectory(folder.resolve("tools"));
    for (String tool : TOOLS) {
      Path script = tools.resolve(tool);
      Files.writeString(script, "#!/bin/sh\nexec " + found(tool) + " \"$@\"\n");
      assertThat(script.toFile().setExecutable(true, false)).isTrue();
    }
    try (Stream<Path> roots = Files.list(unpacked)) {
      List<Path> found = roots.toList();
      assertThat(found).as("folders in the archive").hasSize(1);
      return new Installation(folder, found.get(0), tools);
    }
  }

  private static Path found(String tool) {
    return FOLDERS.stream()
        .map(folder -> folder.resolve(tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  Path root() {
    return root;
  }

  Path file(String name) {
    return root.resolve(name);
  }

  /** Runs a command to its end, which is a success. */
  String succeed(String... args) throws Exception {
    Run run = run(args);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  /** Runs a command to its end. */
  Run run(String... args) throws Exception {
    runs++;
    Path out = folder.resolve("out-" + runs);
    Path err = folder.resolve("err-" + runs);
    int exitCode;
    try (StartedProcess process = start(file("reprise"), out, err, Map.of(), args)) {
      exitCode = process.awaitEnd(Duration.ofMinutes(10));
    }
    return new Run(exitCode, Files.readString(out, UTF_8), Files.readString(err, UTF_8));
  }

  /** Starts a command; the launcher becomes Java, so the process is Java's. */
  StartedProcess start(
      Path launcher, Path out, Path err, Map<String, String> environment, String... args)
      throws IOException {
    return start(List.of(launcher.toString()), out, err, environment, args);
  }

  /** The same with a launcher that another command becomes, such as {@code setpriv}. */
  StartedProcess start(
      List<String> launcher, Path out, Path err, Map<String, String> environment, String... args)
      throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", tools.toString());
    builder.environment().put("LANG", "C.UTF-8");
    builder.environment().putAll(environment);
    if (SERVING.contains(args[0])) {
      builder.environment().merge("REPRISE_JAVA_OPTS", QUICK, (own, quick) -> quick + " " + own);
    }
    return StartedProcess.start("reprise", builder, err);
  }
}
