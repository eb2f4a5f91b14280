package dev.reprise.cli;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.cli.terminal.Terminal;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Uses what short commands use, so that {@code ./reprise} can have Java archive those classes when
 * it builds: a command that finds its classes in the archive starts in half the time.
 */
public final class ClassArchive {
  private ClassArchive() {}

  /** Runs some commands against an empty list of everything. */
  public static void main(String[] args) throws Exception {
    HttpServer service =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] answer =
        "{\"items\":[{}],\"next\":null,\"name\":\"\",\"messageId\":\"\",\"history\":[],\"total\":{}}"
            .getBytes(StandardCharsets.UTF_8);
    service.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    service.start();
    Terminal nowhere =
        new Terminal(
            InputStream.nullInputStream(),
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
            true,
            true,
            true,
            80,
            Map.of("REPRISE_URL", "http://127.0.0.1:" + service.getAddress().getPort()));
    Cli.run(nowhere, "--help");
    Cli.run(nowhere, "preview", "notification-sms");
    Cli.run(nowhere, "topic", "create", "orders", "--policy", "notification-http");
    Cli.run(nowhere, "publish", "orders", "{}");
    Cli.run(nowhere, "deliveries", "list");
    Cli.run(nowhere, "deliveries", "show", "orders", "--json");
    Cli.run(nowhere, "ledger");
    service.stop(0);
  }
}
