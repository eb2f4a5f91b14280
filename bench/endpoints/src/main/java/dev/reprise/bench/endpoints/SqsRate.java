package dev.reprise.bench.endpoints;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.bench.common.Effort;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.delivery.http.HttpSenderSettings;
import dev.reprise.delivery.http.VertxHttpSender;
import dev.reprise.endpoints.aws.AwsCarrierType;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import io.vertx.core.Vertx;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/**
 * Queues of SQS beside AWS' signer with the JDK's HTTP client, which send one request again and
 * again, to ElasticMQ in this process.
 */
final class SqsRate extends CarrierRate {
  private static final int WINDOW = 20;
  private static final String ACCOUNT = "000000000000";
  private static final String REGION = "eu-central-1";
  private static final String KEY_ID = "AKIDEXAMPLE";
  private static final String SECRET = "secret";
  private static final String TYPE = "application/x-amz-json-1.0";
  private static final String BODY = "x".repeat(256);

  /** Headers that the JDK's client sets itself. */
  private static final Set<String> OF_THE_CLIENT = Set.of("host", "content-length");

  private final HttpClient client = HttpClient.newHttpClient();
  private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();
  private final AwsCredentialsIdentity identity = AwsCredentialsIdentity.create(KEY_ID, SECRET);

  SqsRate() {
    super("sqs", 5_000);
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    SQSRestServer server =
        SQSRestServerBuilder.withDynamicPort().withInterface("127.0.0.1").start();
    String url = "http://127.0.0.1:" + server.waitUntilStarted().localAddress().getPort();
    Vertx vertx = Vertx.vertx();
    String settings =
        """
        {"region": "%s", "accountId": "%s", "accessKeyId": "%s", "secretAccessKey": "%s",
         "sqsUrl": "%s"}
        """
            .formatted(REGION, ACCOUNT, KEY_ID, SECRET, url);
    AddressGuard guard = AddressGuard.allowing(true, List.of());
    try (VettedResolver resolver = VettedResolver.ofThisMachine(guard);
        VertxHttpSender http = new VertxHttpSender(vertx, resolver, HttpSenderSettings.DEFAULT);
        Carrier carrier = open(new AwsCarrierType(), settings, new TestContext(WINDOW, http))) {
      check(client.send(signed(url, "CreateQueue", "{\"QueueName\": \"orders\"}"), answer()));
      CarrierContent content = new CarrierContent("text/plain", BODY.getBytes(UTF_8));
      String queue = url + "/" + ACCOUNT + "/orders";
      String message = message(queue);
      return compare(
          effort,
          out,
          sending(
              carrier,
              WINDOW,
              () -> TestAttempts.of(Protocol.QUEUE, "orders", content, "{\"kind\":\"gold\"}")),
          messages -> send(url, message, messages),
          () ->
              check(
                  client.send(
                      signed(url, "PurgeQueue", "{\"QueueUrl\": \"" + queue + "\"}"), answer())));
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get();
      server.stopAndWait();
    }
  }

  private static String message(String queue) {
    String attribute = "{\"DataType\": \"String\", \"StringValue\": \"%s\"}";
    return """
    {"QueueUrl": "%s", "MessageBody": "%s", "MessageAttributes": {
      "reprise-message-id": %s, "content-type": %s, "kind": %s}}
    """
        .formatted(
            queue,
            BODY,
            attribute.formatted("0193fc5e-7b2a-7000-8000-000000000000"),
            attribute.formatted("text/plain"),
            attribute.formatted("gold"));
  }

  private HttpRequest signed(String url, String action, String body) {
    SdkHttpRequest unsigned =
        SdkHttpRequest.builder()
            .uri(URI.create(url + "/"))
            .method(SdkHttpMethod.POST)
            .putHeader("Content-Type", TYPE)
            .putHeader("X-Amz-Target", "AmazonSQS." + action)
            .build();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + "/"))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    signer
        .sign(
            sign ->
                sign.identity(identity)
                    .request(unsigned)
                    .payload(ContentStreamProvider.fromUtf8String(body))
                    .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "sqs")
                    .putProperty(AwsV4HttpSigner.REGION_NAME, REGION))
        .request()
        .headers()
        .forEach(
            (name, values) -> {
              if (!OF_THE_CLIENT.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
              }
            });
    return request.build();
  }

  private static HttpResponse.BodyHandler<String> answer() {
    return HttpResponse.BodyHandlers.ofString();
  }

  private static void check(HttpResponse<String> response) {
    if (response.statusCode() != 200) {
      throw new IllegalStateException(response.statusCode() + " " + response.body());
    }
  }

  private void send(String url, String message, int messages) throws InterruptedException {
    Semaphore free = new Semaphore(WINDOW);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (int i = 0; i < messages; i++) {
      acquire(free, 1);
      var unused =
          client
              .sendAsync(signed(url, "SendMessage", message), answer())
              .thenAccept(SqsRate::check)
              .whenComplete(
                  (done, error) -> {
                    if (error != null) {
                      failure.set(error);
                    }
                    free.release();
                  });
    }
    acquire(free, WINDOW);
    if (failure.get() != null) {
      throw new IllegalStateException("a message was not taken", failure.get());
    }
  }
}
