package dev.reprise.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.StartedProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that need no service, as an archive runs them. */
@Tag("slow")
class InstalledCommandsTest {
  @TempDir static Path folder;
  private static Installation installation;

  @BeforeAll
  static void unpack() throws Exception {
    installation = Installation.in(folder);
  }

  @Test
  void theVersionIsThatOfTheArchive() throws Exception {
    String version = installation.root().getFileName().toString().replace("reprise-", "");

    assertThat(installation.succeed("--version"))
        .startsWith("reprise " + version + " (Java ")
        .contains(Runtime.version().toString());
  }

  @Test
  void theFirstCommandArchivesClassesForAllUsers() throws Exception {
    installation.succeed("version");

    for (String name : new String[] {"lib/classes.jsa", "runtime/lib/server/classes.jsa"}) {
      Path archive = installation.file(name);
      assertThat(archive).isNotEmptyFile();
      assertThat(Files.getPosixFilePermissions(archive)).contains(PosixFilePermission.OTHERS_READ);
    }
  }

  @Test
  void aLinkToTheCommandIsTheCommand() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("linked"), installation.file("reprise"));
    Path out = folder.resolve("linked-out");

    try (StartedProcess process =
        installation.start(link, out, folder.resolve("linked-err"), Map.of(), "version")) {
      assertThat(process.awaitEnd(Await.LIMIT)).isZero();
    }
    assertThat(out).content().startsWith("reprise ");
  }

  @Test
  void optionsOfTheVirtualMachineAreTakenFromTheEnvironment() throws Exception {
    Path out = folder.resolve("options-out");

    try (StartedProcess process =
        installation.start(
            installation.file("reprise"),
            out,
            folder.resolve("options-err"),
            Map.of("REPRISE_JAVA_OPTS", "-Xmx64m -XX:+PrintFlagsFinal"),
            "version")) {
      assertThat(process.awaitEnd(Await.LIMIT)).isZero();
    }
    assertThat(out).content().containsPattern("MaxHeapSize += 67108864 ");
  }

  @Test
  void wrongUsageHasTheExitCodeOfTheCommand() throws Exception {
    assertThat(installation.run("serve", "--no-such-option").exitCode()).isEqualTo(2);
  }

  @Test
  void previewShowsASchedule() throws Exception {
    assertThat(installation.succeed("preview", "notification-sms")).contains("No jitter");
  }

  @Test
  void theLabSimulatesAService() throws Exception {
    assertThat(installation.succeed("lab", "run", "single-server-queue", "--runs", "1"))
        .contains("goodput");
  }

  /** A phone, a mailbox, a queue and a function: carriers that are found by ServiceLoader. */
  @Test
  void theDemoDeliversToEveryKindOfEndpoint() throws Exception {
    assertThat(installation.succeed("demo", "--endpoints"))
        .contains("phone: to +4915112345678", "mailbox: to ann@example.com", "queue: {")
        .contains("function: a line in the service's log", "That was it");
  }

  /** Brokers and nodes are processes on the Java runtime and the libraries of the archive. */
  @Test
  void theDemoOfAClusterLosesNothing() throws Exception {
    assertThat(installation.succeed("demo", "--cluster"))
        .contains("kill -9 of node-2", "kill -9 of broker 3", "lost 0: ", "That was it");
  }
}
