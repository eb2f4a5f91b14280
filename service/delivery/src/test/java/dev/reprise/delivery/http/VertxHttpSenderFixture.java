package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A sender with a scripted look-up of names, and the requests and answers of its tests. */
@Timeout(300)
abstract class VertxHttpSenderFixture {
  static final AddressGuard DEV = AddressGuard.allowing(true, List.of());
  static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  final Vertx vertx = Vertx.vertx();
  final AtomicLong nanos = new AtomicLong();
  final ScriptedLookup lookup = new ScriptedLookup();
  final VettedResolver resolver = new VettedResolver(lookup, DEV, nanos::get);
  final VertxHttpSender sender =
      new VertxHttpSender(vertx, resolver, HttpSenderSettings.DEFAULT.withConnectTimeout(LONG));

  @AfterEach
  void stop() throws Exception {
    sender.close();
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }

  static String head(String status, String... headers) {
    return "HTTP/1.1 " + status + "\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
  }

  static HostileServer.Conversation answering(String response) {
    return peer -> {
      while (true) {
        peer.readRequest();
        peer.write(response);
      }
    };
  }

  HttpOutcome send(HostileServer server, Duration timeout) throws Exception {
    return send(attempt(Sending.url(server), timeout));
  }

  HttpOutcome send(HttpAttempt attempt) throws Exception {
    return Sending.send(sender, attempt);
  }

  static EndpointUrl url(String text) {
    return EndpointUrl.parse(text, DEV).url();
  }
}
