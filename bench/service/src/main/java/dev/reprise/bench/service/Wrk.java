package dev.reprise.bench.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The load generator wrk, the system's package: publishes in turn to numbered topics. */
final class Wrk implements AutoCloseable {
  private final Process process;
  private final Path report;

  private Wrk(Process process, Path report) {
    this.process = process;
    this.report = report;
  }

  /**
   * Starts publishing.
   *
   * @param folder where script and report are kept
   * @param url of the service, or of what stands in its place
   * @param connections that publish at once, each one message after the other
   * @param topics the topics are {@code t0} and so on
   * @param bodyBytes the size of a message
   */
  static Wrk start(Path folder, String url, int connections, int topics, int bodyBytes, int seconds)
      throws IOException {
    Path script = Files.writeString(folder.resolve("post.lua"), script(topics, bodyBytes));
    Path report = folder.resolve("wrk.out");
    Process process =
        new ProcessBuilder(
                "wrk",
                "-t1",
                "-c" + connections,
                "-d" + seconds + "s",
                "-s",
                script.toString(),
                url)
            .redirectErrorStream(true)
            .redirectOutput(report.toFile())
            .start();
    return new Wrk(process, report);
  }

  /** Waits for the end, and complains of whatever was refused. */
  void finish() throws IOException, InterruptedException {
    process.waitFor(60, TimeUnit.SECONDS);
    String told = Files.readString(report);
    if (told.contains("Non-2xx")) {
      throw new IllegalStateException("publishes were refused:\n" + told);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** A body in the API's envelope, to one topic after the other. */
  private static String script(int topics, int bodyBytes) {
    String pad = "x".repeat(bodyBytes - "{\"pad\":\"\"}".length());
    return String.format(
        Locale.ROOT,
        """
        local requests = {}
        local next = 0
        function init(args)
          local headers = { ["Content-Type"] = "application/json" }
          local body = '{"body":{"pad":"%s"}}'
          for i = 0, %d do
            requests[i] = wrk.format("POST", "/v1/topics/t" .. i .. "/messages", headers, body)
          end
        end
        function request()
          next = (next + 1) %% %d
          return requests[next]
        end
        """,
        pad,
        topics - 1,
        topics);
  }
}
