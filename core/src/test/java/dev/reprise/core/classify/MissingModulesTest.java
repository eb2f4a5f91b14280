package dev.reprise.core.classify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Images made by jlink may lack modules of the JDK: each test is a JVM that lacks some. */
class MissingModulesTest {
  private static final String ALL_KNOWN =
      """
      java.io.IOException MAYBE
      java.net.ConnectException YES
      java.util.concurrent.TimeoutException MAYBE
      java.lang.IllegalStateException NO
      java.net.http.HttpTimeoutException %s
      java.sql.SQLTransientException %s
      """;

  @Test
  void classifiesWithTheBaseModuleAlone() throws Exception {
    assertThat(run(onClassPath("--limit-modules", "java.base")))
        .isEqualTo(ALL_KNOWN.formatted("absent", "absent"));
  }

  @Test
  void classifiesWithoutTheModuleOfDatabases() throws Exception {
    assertThat(run(onClassPath("--limit-modules", "java.base,java.net.http")))
        .isEqualTo(ALL_KNOWN.formatted("MAYBE", "absent"));
  }

  @Test
  void classifiesWithoutTheModuleOfTheHttpClient() throws Exception {
    assertThat(run(onClassPath("--limit-modules", "java.base,java.sql")))
        .isEqualTo(ALL_KNOWN.formatted("absent", "MAYBE"));
  }

  @Test
  void asAModuleItNeedsTheBaseModuleAlone() throws Exception {
    assertThat(run(onModulePath("--limit-modules", "java.base,dev.reprise.core")))
        .isEqualTo(ALL_KNOWN.formatted("absent", "absent"));
  }

  @Test
  void asAModuleItKnowsTheModulesThatAreThere() throws Exception {
    assertThat(run(onModulePath("--add-modules", "java.sql,java.net.http")))
        .isEqualTo(ALL_KNOWN.formatted("MAYBE", "MAYBE"));
  }

  private static List<String> onClassPath(String... flags) throws URISyntaxException {
    List<String> command = new ArrayList<>(List.of(flags));
    command.addAll(List.of("-cp", main() + System.getProperty("path.separator") + tests()));
    return command;
  }

  private static List<String> onModulePath(String... flags) throws URISyntaxException {
    List<String> command = new ArrayList<>(List.of(flags));
    command.addAll(List.of("-p", main().toString(), "--add-modules", "dev.reprise.core", "-cp"));
    command.add(tests().toString());
    return command;
  }

  private static String run(List<String> flags) throws IOException, InterruptedException {
    List<String> command =
        Stream.of(
                Stream.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-Xshare:auto"),
                flags.stream(),
                Stream.of("dev.reprise.probe.ClassifyingProgram"))
            .flatMap(part -> part)
            .toList();
    Process java = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(java.getInputStream().readAllBytes(), UTF_8);
    assertThat(java.waitFor()).as(output).isZero();
    return output.replace(System.lineSeparator(), "\n");
  }

  private static Path main() throws URISyntaxException {
    return placeOf(Classifier.class);
  }

  private static Path tests() throws URISyntaxException {
    return placeOf(MissingModulesTest.class);
  }

  private static Path placeOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
