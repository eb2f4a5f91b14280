package dev.reprise.endpoints.aws;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.RetryInfo;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.carrier.AttemptUnderWay;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.carrier.CarrierVerdict;
import dev.reprise.delivery.carrier.CarrierWindow;
import dev.reprise.delivery.http.HttpAttempt;
import dev.reprise.delivery.http.HttpOptions;
import dev.reprise.delivery.http.HttpOutcome;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * An AWS account: every attempt is one signed POST through the service's own HTTP client. An answer
 * that refuses the credentials is the account's fault; one that refuses a queue or a function is
 * about that alone, so that the others go on.
 */
final class AwsCarrier implements Carrier {
  private static final String FUNCTION_ERROR = "x-amz-function-error";
  private static final List<String> WANTED =
      List.of(AwsError.TYPE_HEADER, AwsError.QUERY_HEADER, FUNCTION_ERROR);
  private static final HttpOptions OPTIONS = HttpOptions.DEFAULT.withResponse(16 * 1024, WANTED);

  private static final Duration TEST_TIMEOUT = Duration.ofSeconds(15);
  private static final JsonMapper JSON = JsonMapper.shared();

  private final AwsSettings settings;
  private final CarrierContext context;
  private final AwsSigner signer;
  private final CarrierFault fault = new CarrierFault(() -> ThreadLocalRandom.current().nextLong());

  /** The HTTP client ends attempts whose time is over. */
  private final CarrierWindow<AttemptUnderWay> window;

  AwsCarrier(AwsSettings settings, CarrierContext context) {
    this.settings = settings;
    this.context = context;
    this.signer = new AwsSigner(settings, Clock.systemUTC());
    this.window = new CarrierWindow<>(context);
  }

  @Override
  public void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    AttemptUnderWay underWay = new AttemptUnderWay(window, attempt, done);
    AttemptOutcome refusal = window.refusal(underWay, fault::refusal);
    if (refusal != null) {
      done.accept(refusal);
      return;
    }
    try {
      if (attempt.protocol() == Protocol.QUEUE) {
        enqueue(underWay);
      } else {
        AwsRequest request = LambdaRequests.invoke(settings, attempt);
        post(request, underWay, this::invoked);
      }
    } catch (RuntimeException e) {
      fault.undecided();
      underWay.end(AttemptOutcome.internalError(e));
    }
  }

  private void enqueue(AttemptUnderWay underWay) {
    CarrierAttempt attempt = underWay.attempt();
    QueueName queue = QueueName.of(attempt.endpoint());
    if (queue == null) {
      refuse(underWay, QueueName.problem(attempt.endpoint()));
    } else if (queue.account() == null && settings.accountId() == null) {
      refuse(underWay, "must name its account, by its ARN or URL: the carrier has no accountId");
    } else {
      SqsRequests.Send send = SqsRequests.send(settings, queue, attempt);
      post(send.request(), underWay, response -> enqueued(response, send.body()));
    }
  }

  private void refuse(AttemptUnderWay underWay, @Nullable String rule) {
    fault.undecided();
    underWay.end(CarrierFailure.OF_RECIPIENT, "endpoint " + rule);
  }

  private interface Reader {
    AttemptOutcome read(HttpOutcome.Response response);
  }

  private void post(AwsRequest request, AttemptUnderWay underWay, Reader reader) {
    CarrierAttempt attempt = underWay.attempt();
    EndpointUrl.Parsed parsed = EndpointUrl.parse(request.url(), context.guard());
    EndpointUrl url = parsed.url();
    if (url == null) {
      underWay.end(atFault(String.join("; ", parsed.problems())));
      return;
    }
    context
        .http()
        .send(
            new HttpAttempt(
                url,
                signer.sign(request),
                request.body(),
                request.contentType(),
                attempt.timeout(),
                OPTIONS,
                attempt.mayBegin()),
            outcome -> underWay.end(outcome(outcome, attempt.endpoint(), reader)));
  }

  private AttemptOutcome outcome(HttpOutcome outcome, String endpoint, Reader reader) {
    String address = outcome.address() == null ? "" : outcome.address();
    long nanos = outcome.latencyNanos();
    if (outcome instanceof HttpOutcome.Response response) {
      return read(response, endpoint, reader);
    }
    if (outcome instanceof HttpOutcome.TimedOut timedOut) {
      return timedOut.neverSent()
          ? atFault(timedOut.detail())
          : failed(CarrierFailure.TIMEOUT, "timeout, " + timedOut.detail(), address, nanos);
    }
    if (outcome instanceof HttpOutcome.ConnectionFailed broken) {
      return broken.neverSent()
          ? atFault(broken.detail())
          : failed(CarrierFailure.CONNECTION_LOST, broken.detail(), address, nanos);
    }
    if (outcome instanceof HttpOutcome.NotStarted notStarted) {
      fault.undecided();
      return AttemptOutcome.notMade(notStarted.detail());
    }
    return atFault(
        outcome instanceof HttpOutcome.Refused refused
            ? refused.detail()
            : ((HttpOutcome.ProxyFailed) outcome).detail());
  }

  private static AttemptOutcome failed(
      RetryInfo failure, String summary, String address, long nanos) {
    return new AttemptOutcome(failure, 0, summary, address, new byte[0], nanos);
  }

  private AttemptOutcome read(HttpOutcome.Response response, String endpoint, Reader reader) {
    int status = response.status();
    if (status >= 200 && status < 300) {
      if (fault.taken(endpoint)) {
        context.recovered();
      }
      return reader.read(response);
    }
    AwsError error = AwsError.of(response.headers(), response.bodyExcerpt());
    String summary = (status + " " + error.describe()).strip();
    CarrierVerdict verdict = AwsVerdicts.of(status, error.code());
    if (fault.isAtFault(verdict, endpoint, status + " " + error.code())) {
      return atFault(summary);
    }
    if (fault.recovered()) {
      context.recovered();
    }
    return answered(verdict.failure(), summary, response);
  }

  /** SQS answers with the MD5 of the body that it has stored. */
  private AttemptOutcome enqueued(HttpOutcome.Response response, String body) {
    String id;
    String md5;
    try {
      var answer = JSON.readTree(response.bodyExcerpt());
      id = answer.path("MessageId").asString("");
      md5 = answer.path("MD5OfMessageBody").asString("");
    } catch (JacksonException e) {
      id = "";
      md5 = "";
    }
    return md5.equals(md5(body))
        ? answered(null, "200 enqueued as " + id.replaceAll("[^!-~]", "?"), response)
        : answered(
            CarrierFailure.TRANSIENT,
            "200, but the MD5 of the body is another one than was sent",
            response);
  }

  private AttemptOutcome invoked(HttpOutcome.Response response) {
    String error = response.headers().get(FUNCTION_ERROR);
    if (error == null) {
      return answered(
          null,
          response.status() + (response.status() == 202 ? " taken for later" : " returned"),
          response);
    }
    AwsError described = AwsError.of(Map.of(), response.bodyExcerpt());
    RetryInfo failure =
        settings.functionErrors() == AwsSettings.FunctionErrors.PERMANENT
            ? CarrierFailure.OF_RECIPIENT
            : CarrierFailure.TRANSIENT;
    return answered(
        failure,
        "the function itself failed ("
            + error.replaceAll("[^!-~]", "?")
            + ")"
            + (described.message().isEmpty() ? "" : ": " + described.message()),
        response);
  }

  private static AttemptOutcome answered(
      @Nullable RetryInfo failure, String summary, HttpOutcome.Response response) {
    byte[] body = response.bodyExcerpt();
    return new AttemptOutcome(
        failure,
        response.status(),
        summary.strip(),
        response.address(),
        Arrays.copyOf(body, Math.min(body.length, AttemptOutcome.MAX_RESPONSE_BYTES)),
        response.latencyNanos());
  }

  private AttemptOutcome atFault(String reason) {
    return AttemptOutcome.givenBack(fault.failed(reason));
  }

  private static String md5(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("MD5").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
  }

  @Override
  public CarrierState state() {
    return new CarrierState(fault.reason(), fault.sinceMillis(), 0, window.count());
  }

  /** Asks SQS for its queues: an answer that this is not allowed proves the credentials as well. */
  @Override
  public CompletionStage<String> test() {
    AwsRequest request = SqsRequests.list(settings);
    EndpointUrl.Parsed parsed = EndpointUrl.parse(request.url(), context.guard());
    EndpointUrl url = parsed.url();
    if (url == null) {
      return CompletableFuture.failedFuture(
          new CarrierException(String.join("; ", parsed.problems())));
    }
    CompletableFuture<String> tested = new CompletableFuture<>();
    context
        .http()
        .send(
            new HttpAttempt(
                url,
                signer.sign(request),
                request.body(),
                request.contentType(),
                TEST_TIMEOUT,
                OPTIONS),
            outcome -> tell(outcome, tested));
    return tested;
  }

  private void tell(HttpOutcome outcome, CompletableFuture<String> tested) {
    String reached = settings.sqsBase() + " as " + settings.accessKeyId();
    if (outcome instanceof HttpOutcome.Response response) {
      AwsError error = AwsError.of(response.headers(), response.bodyExcerpt());
      if (response.status() < 300) {
        tested.complete("reached " + reached);
      } else if (AwsVerdicts.of(response.status(), error.code()) == CarrierVerdict.ACCOUNT) {
        tested.completeExceptionally(
            new CarrierException(response.status() + " " + error.describe()));
      } else {
        tested.complete("reached " + reached + ", which may not list queues");
      }
      return;
    }
    AttemptOutcome failed =
        outcome(
            outcome,
            "",
            response -> {
              throw new IllegalStateException("no response");
            });
    tested.completeExceptionally(new CarrierException(failed.summary()));
  }

  @Override
  public void close() {
    // What is under way ends by the service's HTTP client.
    window.close();
  }
}
