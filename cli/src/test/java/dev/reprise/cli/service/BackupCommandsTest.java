package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.server.serve.Service;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Backing up a real service, and starting another one from the backup. */
class BackupCommandsTest {
  @TempDir private static Path folder;

  private static Service service;

  @TempDir Path temp;

  @BeforeAll
  static void start() {
    service = DevService.start(folder.resolve("data"));
    // Nobody listens there, and nothing is attempted while it is suspended.
    run("topic", "create", "orders");
    JsonNode made =
        json(
            "subscribe",
            "orders",
            "http://127.0.0.1:9/hook",
            "--suspended",
            "--http",
            "{\"token\":\"hidden\"}",
            "--json");
    assertThat(made.get("id").asString()).isEqualTo("orders-1");
    for (int i = 0; i < 3; i++) {
      run("publish", "orders", "one");
    }
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static CommandRun.Result run(String... args) {
    return new CommandRun().with("REPRISE_URL", service.baseUrl()).execute(args);
  }

  private static JsonNode json(String... args) {
    CommandRun.Result result = run(args);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return JsonMapper.shared().readTree(result.out());
  }

  private Path backup() {
    Path file = temp.resolve("backup.tar");
    take(file);
    return file;
  }

  /** Takes a backup when the service knows that the reader of one that was broken off has gone. */
  private static CommandRun.Result take(Path target, String... options) {
    String[] args =
        Stream.concat(Stream.of("backup", target.toString()), Stream.of(options))
            .toArray(String[]::new);
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    CommandRun.Result result = run(args);
    while (result.err().contains("is being taken already") && System.nanoTime() < deadline) {
      result = run(args);
    }
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(temp)) {
      return files.toList();
    }
  }

  @Test
  void aServiceGoesOnFromItsBackup() throws Exception {
    Path file = backup();
    Path data = temp.resolve("restored");

    CommandRun.Result restored = CommandRun.run("restore", file.toString(), "--data", "" + data);

    assertThat(restored.exitCode()).as(restored.err()).isZero();
    assertThat(restored.out())
        .startsWith("Restored the backup of 20")
        .contains(" into " + data + ": 1 topic, 1 subscription, 3 pending deliveries,")
        .endsWith(" 0 dead letters; the ledger is balanced.\n");
    assertThat(restored.err())
        .contains("such as that of subscription orders-1, are encrypted under key 'dev'")
        .contains("copy its dev-secret-key into the folder");
    Files.copy(folder.resolve("data").resolve("dev-secret-key"), data.resolve("dev-secret-key"));
    try (Service again = DevService.start(data)) {
      CommandRun.Result ledger =
          new CommandRun().with("REPRISE_URL", again.baseUrl()).execute("ledger", "--verify");
      assertThat(ledger.exitCode()).isZero();
      assertThat(ledger.out()).contains("and agrees");
      CommandRun.Result pending =
          new CommandRun()
              .with("REPRISE_URL", again.baseUrl())
              .execute("deliveries", "list", "--subscription", "orders-1", "--json");
      assertThat(JsonMapper.shared().readTree(pending.out()).get("items")).hasSize(3);
    }
  }

  @Test
  void noSecretIsInItInClear() throws Exception {
    byte[] bytes = Files.readAllBytes(backup());
    String text = new String(bytes, StandardCharsets.ISO_8859_1);

    assertThat(text).doesNotContain("hidden");
    String key = Files.readString(folder.resolve("data").resolve("dev-secret-key")).strip();
    assertThat(text).doesNotContain(key.substring(key.indexOf(':') + 1));
  }

  @Test
  void aFileThatExistsIsLeftAsItIs() throws Exception {
    Path file = backup();
    byte[] before = Files.readAllBytes(file);

    CommandRun.Result again = run("backup", file.toString());

    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).contains(file + " exists already, and is left as it is: name another");
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void inAFolderEachHasANameOfItsOwn() throws Exception {
    // As one that was killed leaves it.
    Files.writeString(temp.resolve("reprise-backup.part"), "half of one".repeat(9000));
    JsonNode first = JsonMapper.shared().readTree(take(temp, "--json").out());
    // At once: with the last byte of one, the service is ready for the next.
    JsonNode second = json("backup", temp.toString(), "--json");

    assertThat(files())
        .containsExactlyInAnyOrder(
            Path.of(first.get("file").asString()), Path.of(second.get("file").asString()));
    for (Path file : files()) {
      assertThat(file.getFileName().toString()).matches("reprise-\\d{8}T\\d{6}Z(-2)?\\.tar");
      Path data = temp.resolve(file.getFileName() + ".data");
      assertThat(CommandRun.run("restore", file.toString(), "--data", "" + data).exitCode())
          .isZero();
    }
  }

  @Test
  void twoAtOnceDoNotWriteOneFile() throws Exception {
    Path part = temp.resolve("reprise-backup.part");
    try (FileChannel other =
        FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      other.lock();

      CommandRun.Result result = run("backup", temp.toString());

      assertThat(result.exitCode()).isEqualTo(1);
      assertThat(result.err()).contains(part + " is being written by another backup");
    }
    assertThat(part).exists();
  }

  @Test
  void whatCannotBeWrittenIsSaid() throws Exception {
    assertThat(run("backup", temp.resolve("none").resolve("a.tar").toString()).err())
        .contains("there is no folder " + temp.resolve("none"));
    Path disk = Files.createDirectory(temp.resolve("disk"));
    boolean mounted = mount("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk.toString());
    assumeTrue(mounted, "SKIPPED: a full disk needs `mount -t tmpfs`, which needs root");
    try {
      CommandRun.Result result = run("backup", disk.toString());

      assertThat(result.exitCode()).isEqualTo(1);
      assertThat(result.err()).contains("the disk of " + disk + " has ", " left, and the backup");
      assertThat(disk).isEmptyDirectory();

      Path file = backup();
      CommandRun.Result restored =
          CommandRun.run("restore", file.toString(), "--data", disk.toString());
      assertThat(restored.exitCode()).isEqualTo(1);
      assertThat(restored.err()).contains("the disk of " + disk + " has ", "Nothing was changed");
      assertThat(disk).isEmptyDirectory();
    } finally {
      mount("umount", "--lazy", disk.toString());
    }
  }

  private static boolean mount(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor(5, TimeUnit.MINUTES) && process.exitValue() == 0;
  }

  @Test
  void whatIsNoWholeBackupIsNotRestored() throws Exception {
    Path file = backup();
    byte[] bytes = Files.readAllBytes(file);
    Path data = temp.resolve("restored");
    Path cut = Files.write(temp.resolve("cut.tar"), Arrays.copyOf(bytes, 5000));
    bytes[3000] ^= 4;
    Path flipped = Files.write(temp.resolve("flipped.tar"), bytes);
    Path text = Files.writeString(temp.resolve("text.tar"), "no backup");

    for (Path wrong : List.of(cut, flipped, text, temp.resolve("none.tar"))) {
      CommandRun.Result result = CommandRun.run("restore", "" + wrong, "--data", "" + data);

      assertThat(result.exitCode()).as(result.out()).isEqualTo(1);
      assertThat(result.err()).contains(wrong.toString()).hasLineCount(1);
      assertThat(data).doesNotExist();
    }
    assertThat(CommandRun.run("restore", "" + file, "--data", "" + folder.resolve("data")).err())
        .contains("is not empty");
  }
}
