package dev.reprise.cli.service;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.cli.CommandRun;
import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limit of a question about health: for the whole of it, however its answer comes. */
@Tag("slow")
class HealthProbeTest {
  private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n";

  private final List<Socket> taken = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
  private ServerSocket server;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    clock.shutdownNow();
    server.close();
    for (Socket each : taken) {
      each.close();
    }
  }

  /** Answers the first connection with a beginning, and then with a byte now and then, for ever. */
  private String trickling(String beginning, long everyMillis) {
    clock.execute(
        () -> {
          try {
            Socket socket = server.accept();
            taken.add(socket);
            socket.getOutputStream().write(beginning.getBytes(US_ASCII));
            var unused =
                clock.scheduleAtFixedRate(
                    () -> {
                      try {
                        socket.getOutputStream().write('a');
                      } catch (IOException e) {
                        // Ends the repetition: the client has gone.
                        throw new IllegalStateException(e);
                      }
                    },
                    0,
                    everyMillis,
                    TimeUnit.MILLISECONDS);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
    return url();
  }

  private String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  private static void assertSilent(String url) {
    CommandFailure failure =
        catchThrowableOfType(
            CommandFailure.class,
            () ->
                HealthProbe.ask(
                    new ApiClient(url, null), HealthProbe.Question.READY, Duration.ofSeconds(1)));

    assertThat(failure.text()).isEqualTo("no answer from " + url + " within 1 s");
    assertThat(failure.exitCode()).isEqualTo(ExitCode.UNREACHABLE);
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void aServerThatIsSilentEndsIt() {
    // The kernel takes the connection.
    assertSilent(url());
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1 200 ", HEAD + "X: ", HEAD + "\r\n"})
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void anAnswerThatTricklesEndsIt(String beginning) {
    assertSilent(trickling(beginning, 100));
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void theCommandWaits5SecondsForTheWhole() {
    CommandRun.Result result =
        new CommandRun().with("REPRISE_URL", trickling(HEAD + "\r\n", 1000)).execute("health");

    assertThat(result)
        .isEqualTo(
            new CommandRun.Result(3, "", "reprise: no answer from " + url() + " within 5 s\n"));
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void theProxyThatIsSilentIsNamed() {
    String proxy = "127.0.0.1:" + server.getLocalPort();

    CommandRun.Result result =
        new CommandRun()
            .with("REPRISE_URL", "http://reprise.example")
            .with("http_proxy", proxy)
            .execute("health");

    assertThat(result.err())
        .isEqualTo(
            "reprise: no answer from http://reprise.example through the proxy "
                + proxy
                + " of http_proxy within 5 s\n");
  }
}
