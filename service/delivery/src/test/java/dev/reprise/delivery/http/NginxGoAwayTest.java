package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static dev.reprise.delivery.http.Sending.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.TestCertificate;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An nginx that ends its HTTP/2 connections after a few requests, while others are under way. */
@Tag("slow")
@Timeout(300)
class NginxGoAwayTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 20})
  void noRequestFails(int requestsOfAConnection, @TempDir(cleanup = CleanupMode.NEVER) Path folder)
      throws Exception {
    TestCertificate certificate = TestCertificate.of(folder, "localhost", "localhost");
    Vertx vertx = Vertx.vertx();
    try (Nginx nginx =
            Nginx.start(
                folder,
                """
                ssl_certificate %s;
                ssl_certificate_key %s;
                keepalive_requests %s;
                server {
                  listen @port@ ssl http2;
                  location / { return 204; }
                }
                """
                    .formatted(
                        certificate.certificatePem(),
                        certificate.keyPem(),
                        requestsOfAConnection));
        VertxHttpSender sender =
            new VertxHttpSender(
                vertx,
                new VettedResolver(
                    new ScriptedLookup(), AddressGuard.allowing(true, List.of()), System::nanoTime),
                HttpSenderSettings.DEFAULT
                    .withConnectTimeout(LONG)
                    .withTrustedCertificates(certificate.certificatePem()))) {
      EndpointUrl url =
          EndpointUrl.parse(
                  "https://localhost:" + nginx.port() + "/", AddressGuard.allowing(true, List.of()))
              .url();
      List<CompletableFuture<HttpOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
        outcomes.add(outcome);
        sender.send(attempt(url, LONG), outcome::complete);
      }
      for (CompletableFuture<HttpOutcome> outcome : outcomes) {
        HttpOutcome ended = await(outcome);
        assertThat(ended).isInstanceOf(Response.class);
        assertThat(((Response) ended).note()).isNull();
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
    }
  }
}
