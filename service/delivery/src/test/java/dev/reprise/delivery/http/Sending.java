package dev.reprise.delivery.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Sends attempts and waits for their outcomes. */
final class Sending {
  /** More than any attempt needs that is to succeed. */
  static final Duration LONG = Duration.ofMinutes(5);

  private static final Duration SHORT = Duration.ofMillis(200);

  private Sending() {}

  static HttpAttempt attempt(EndpointUrl url, Duration timeout) {
    return new HttpAttempt(
        url, List.of(), "x".getBytes(UTF_8), "text/plain", timeout, HttpOptions.DEFAULT);
  }

  static HttpOutcome send(HttpSender sender, HttpAttempt attempt) throws Exception {
    CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
    sender.send(attempt, outcome::complete);
    return await(outcome);
  }

  static HttpOutcome await(CompletableFuture<HttpOutcome> outcome) throws Exception {
    return outcome.get(2 * LONG.toSeconds(), SECONDS);
  }

  static EndpointUrl url(HostileServer server) {
    String url = "http://127.0.0.1:" + server.port() + "/";
    return EndpointUrl.parse(url, AddressGuard.allowing(true, List.of())).url();
  }

  /**
   * Sends with a short timeout, and with ever longer ones if it is over before the attempt has come
   * to what the test is about: how long that takes is the machine's business.
   *
   * @param before how the details of timeouts begin that come too early
   */
  static HttpOutcome sendBriefly(HttpSender sender, EndpointUrl url, String... before)
      throws Exception {
    return sendBriefly(sender, () -> url, before);
  }

  /**
   * The same with a server of its own for each try, so that it tells of the last one alone.
   *
   * @param check is given the outcome of the last try, and its server
   */
  static void sendBriefly(
      HttpSender sender, HostileServer.Conversation conversation, Check check, String... before)
      throws Exception {
    Deque<HostileServer> servers = new ArrayDeque<>();
    try {
      HttpOutcome outcome =
          sendBriefly(
              sender,
              () -> {
                servers.push(new HostileServer(conversation));
                return url(servers.element());
              },
              before);
      check.accept(outcome, servers.element());
    } finally {
      for (HostileServer server : servers) {
        server.close();
      }
    }
  }

  /** What is expected of an outcome and its server. */
  interface Check {
    void accept(HttpOutcome outcome, HostileServer server) throws Exception;
  }

  private static HttpOutcome sendBriefly(
      HttpSender sender, Callable<EndpointUrl> url, String... before) throws Exception {
    Duration timeout = SHORT;
    HttpOutcome outcome = send(sender, attempt(url.call(), timeout));
    while (isTooEarly(outcome, before) && timeout.compareTo(LONG) < 0) {
      timeout = timeout.multipliedBy(2);
      outcome = send(sender, attempt(url.call(), timeout));
    }
    return outcome;
  }

  private static boolean isTooEarly(HttpOutcome outcome, String... before) {
    return outcome instanceof HttpOutcome.TimedOut timedOut
        && List.of(before).stream().anyMatch(timedOut.detail()::startsWith);
  }
}
