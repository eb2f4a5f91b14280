package dev.reprise.cli.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.Cli;
import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.cli.Main;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.StartedProcess;
import dev.reprise.server.serve.Service;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code deliveries --watch} against a real service, until nobody reads it any more. */
@Tag("slow")
class DeliveriesWatchTest {
  @TempDir private Path folder;

  private Service service;

  @BeforeEach
  void start() {
    service = DevService.start(folder.resolve("data"));
    run("topic", "create", "orders", "--policy", "no-retry");
    // Nobody listens at port 1, so that each delivery dies at once.
    run("subscribe", "orders", "http://127.0.0.1:1/");
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private void run(String... args) {
    CommandRun.Result result =
        new CommandRun().with("REPRISE_URL", service.baseUrl()).execute(args);
    assertThat(result.exitCode()).as(result.err()).isZero();
  }

  /** What a command prints, until its reader goes away. */
  private static final class Reader extends OutputStream {
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private boolean gone;

    @Override
    public synchronized void write(int b) throws IOException {
      if (gone) {
        throw new IOException("Broken pipe");
      }
      read.write(b);
    }

    synchronized String read() {
      return read.toString(UTF_8);
    }

    synchronized void leave() {
      gone = true;
    }

    void await(String text) {
      Await.until("'" + text + "'", this::read, () -> read().contains(text));
    }
  }

  private CompletableFuture<Integer> watch(Reader reader, boolean interactive, String... args) {
    Terminal terminal =
        new Terminal(
            InputStream.nullInputStream(),
            new PrintStream(reader, false, UTF_8),
            new PrintStream(OutputStream.nullOutputStream(), false, UTF_8),
            interactive,
            interactive,
            interactive,
            100,
            Map.of("REPRISE_URL", service.baseUrl()));
    return CompletableFuture.supplyAsync(() -> Cli.run(terminal, args));
  }

  @Test
  void aPipeGetsALineForEachChangeUntilItsReaderGoes() throws Exception {
    Reader reader = new Reader();
    CompletableFuture<Integer> watch =
        watch(reader, false, "deliveries", "list", "--watch", "--every", "100ms");

    run("publish", "orders", "{}");
    reader.await("dead-lettered, 1 attempt: ");
    run("publish", "orders", "{}");
    String seen = reader.read();
    reader.leave();
    run("publish", "orders", "{}");

    assertThat(watch.get(300, TimeUnit.SECONDS)).isZero();
    assertThat(seen.lines().filter(line -> line.contains("dead-lettered")))
        .as("what has not changed is not told again")
        .hasSizeBetween(1, 2);
  }

  @Test
  void aPersonSeesATableThatIsDrawnAnew() throws Exception {
    Reader reader = new Reader();
    CompletableFuture<Integer> watch = watch(reader, true, "deliveries", "--watch");

    reader.await("every 1 s, Ctrl-C ends it");
    run("publish", "orders", "{}");
    reader.await("LAST OUTCOME");
    reader.leave();

    assertThat(watch.get(300, TimeUnit.SECONDS)).isZero();
    assertThat(reader.read()).startsWith("\u001b[H\u001b[J");
  }

  @Test
  void beingStoppedIsNoFailure() throws Exception {
    run("publish", "orders", "{}");
    Path out = folder.resolve("out");
    Process process =
        new ProcessBuilder(
                StartedProcess.java(
                    StartedProcess.quick(),
                    Main.class.getName(),
                    List.of("deliveries", "--watch", "--json", "--url", service.baseUrl())))
            .redirectOutput(out.toFile())
            .redirectError(folder.resolve("err").toFile())
            .start();
    try {
      Await.value(
          "a delivery", () -> Files.readString(out), shown -> shown.contains("\"status\":"));
      process.toHandle().destroy();
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).isZero();
      assertThat(folder.resolve("err")).isEmptyFile();
    } finally {
      process.destroyForcibly().onExit().join();
    }
  }
}
