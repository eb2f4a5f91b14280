package dev.reprise.endpoints.aws;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.http.HttpSenderSettings;
import dev.reprise.delivery.http.VertxHttpSender;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Carriers with the service's own HTTP client. */
@Timeout(300)
abstract class AwsFixture {
  static final String KEY_ID = "AKIDEXAMPLE";
  static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

  static final int MAX_IN_FLIGHT = 20;

  private final Vertx vertx = Vertx.vertx();
  private final VettedResolver resolver =
      VettedResolver.ofThisMachine(AddressGuard.allowing(true, List.of()));
  private final VertxHttpSender sender =
      new VertxHttpSender(vertx, resolver, HttpSenderSettings.DEFAULT);
  private final List<Carrier> carriers = new ArrayList<>();
  final TestContext context = new TestContext(MAX_IN_FLIGHT, sender);

  /** A carrier whose services are all at one URL. */
  final Carrier carrier(String url, String more) {
    Carrier carrier =
        new AwsCarrierType()
            .open(
                CarrierCalls.settings(
                    new AwsCarrierType(),
                    """
                    {"region": "eu-central-1", "accessKeyId": "%s", "secretAccessKey": "%s",
                     "sqsUrl": "%s", "lambdaUrl": "%s"%s}
                    """
                        .formatted(KEY_ID, SECRET, url, url, more)),
                context);
    carriers.add(carrier);
    return carrier;
  }

  static AttemptOutcome enqueue(Carrier carrier, String queue, String text)
      throws InterruptedException {
    return CarrierCalls.send(carrier, TestAttempts.of(Protocol.QUEUE, queue, text));
  }

  @AfterEach
  final void stop() throws Exception {
    carriers.forEach(Carrier::close);
    sender.close();
    resolver.close();
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }
}
