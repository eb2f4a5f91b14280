package dev.reprise.endpoints.aws;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.endpoints.aws.AwsServer.Answer;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each answer of SQS and Lambda, from a server that answers as their documentation says. */
final class AwsOutcomeTest extends AwsFixture {
  private final AwsServer aws = server();
  private final Carrier carrier =
      carrier(aws.url(), ", \"accountId\": \"123456789012\", \"invocation\": \"request\"");

  private static AwsServer server() {
    try {
      return new AwsServer();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void stopServer() {
    aws.close();
  }

  private AttemptOutcome enqueue() throws InterruptedException {
    return enqueue(carrier, "orders", "hello");
  }

  private static AttemptOutcome invoke(Carrier carrier, String body) throws InterruptedException {
    var content = new CarrierContent("application/json", body.getBytes(UTF_8));
    return CarrierCalls.send(
        carrier, TestAttempts.of(Protocol.FUNCTION, "ship-order:live", content, "{}"));
  }

  private static Answer error(int status, String code) {
    return Answer.json(
        status, "{\"__type\": \"com.amazonaws.sqs#" + code + "\", \"message\": \"no\\nway\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "400, QueueDoesNotExist, PERMANENT",
    "400, InvalidMessageContents, PERMANENT",
    "400, InvalidParameterValueException, PERMANENT",
    "404, ResourceNotFoundException, PERMANENT",
    "413, RequestTooLargeException, PERMANENT",
    "500, InternalError, TRANSIENT",
    "503, ServiceUnavailable, TRANSIENT",
    "408, RequestTimeout, TRANSIENT",
    "400, AWS.SimpleQueueService.NonExistentQueue, PERMANENT",
    "400, KmsDisabled, TRANSIENT",
    "400, KmsInvalidState, TRANSIENT",
    "400, KmsOptInRequired, TRANSIENT",
    "400, AccessDenied, TRANSIENT",
    "403, EFSMountFailureException, TRANSIENT",
    "410, EFSIOException, TRANSIENT",
    "408, EFSMountTimeoutException, TRANSIENT",
    "502, ENILimitReachedException, TRANSIENT",
    "502, KMSAccessDeniedException, TRANSIENT",
    "502, InvalidRuntimeException, TRANSIENT",
    "400, SnapStartException, TRANSIENT",
    "409, SnapStartNotReadyException, TRANSIENT",
    "409, CodeArtifactUserPendingException, TRANSIENT",
    "502, ResourceNotReadyException, TRANSIENT",
    "403, SomethingUnknown, TRANSIENT",
    "401, NotAuthorized, TRANSIENT",
    "409, ResourceConflictException, TRANSIENT",
    "403, AccessDeniedException, TRANSIENT",
    "400, RequestThrottled, THROTTLED",
    "400, OverLimit, THROTTLED",
    "403, RequestThrottled, THROTTLED",
    "429, TooManyRequestsException, THROTTLED",
    "503, SlowDown, THROTTLED",
  })
  void errorIsAnOutcomeOfTheDelivery(int status, String code, String outcome) throws Exception {
    aws.answers(error(status, code));
    CarrierFailure expected =
        switch (outcome) {
          case "PERMANENT" -> CarrierFailure.PERMANENT;
          case "TRANSIENT" -> CarrierFailure.TRANSIENT;
          default -> CarrierFailure.THROTTLED;
        };
    for (AttemptOutcome answered : List.of(enqueue(), invoke(carrier, "{}"))) {
      assertThat(answered.made()).isTrue();
      assertThat(answered.failure()).isEqualTo(expected);
      assertThat(answered.status()).isEqualTo(status);
      assertThat(answered.summary()).isEqualTo(status + " " + code + ": no way");
      assertThat(answered.block()).isNull();
    }
    assertThat(carrier.state().fault()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "403, InvalidClientTokenId",
    "403, SignatureDoesNotMatch",
    "403, UnrecognizedClientException",
    "400, ExpiredToken",
    "403, OptInRequired",
    "400, IncompleteSignature",
    "400, RequestExpired",
    "403, ExpiredTokenException",
    "401, ''",
  })
  void refusedCredentialsAreTheCarriersOwnFault(int status, String code) throws Exception {
    aws.answers(error(status, code));

    AttemptOutcome refused = enqueue();

    assertThat(refused.made()).isFalse();
    assertThat(refused.block()).isNotNull();
    assertThat(carrier.state().fault()).startsWith("" + status).contains(code);
    assertThat(carrier.state().inFlight()).isZero();
    int asked = aws.all().size();
    assertThat(enqueue().made()).isFalse();
    assertThat(aws.all()).hasSize(asked);
  }

  /** One function that cannot mount its file system is no reason to leave a queue alone. */
  @Test
  void aFunctionThatCannotRunStopsNothingElse() throws Exception {
    aws.answers(error(403, "EFSMountFailureException"));
    for (int i = 0; i < 2 * CarrierFault.MIN_ALIKE; i++) {
      assertThat(invoke(carrier, "{}").made()).isTrue();
    }

    aws.answers(
        Answer.json(
            200,
            "{\"MessageId\": \"m-1\", \"MD5OfMessageBody\":"
                + " \"5d41402abc4b2a76b9719d911017c592\"}"));
    assertThat(enqueue().succeeded()).isTrue();
    assertThat(carrier.state().fault()).isNull();
  }

  /** A policy that lacks the right to all queues, not to one. */
  @ParameterizedTest
  @CsvSource({
    "400, AccessDenied",
    "403, AccessDeniedException",
    "401, NotAuthorized",
    "403, SomethingUnknown",
  })
  void rightsThatNoQueueGivesAreTheCarriersAfterAFew(int status, String code) throws Exception {
    aws.answers(error(status, code));
    for (int i = 1; i < CarrierFault.MIN_ALIKE; i++) {
      AttemptOutcome denied = enqueue(carrier, "orders-" + i, "hello");
      assertThat(denied.made()).isTrue();
      assertThat(denied.failure()).isEqualTo(CarrierFailure.TRANSIENT);
    }

    assertThat(enqueue(carrier, "orders-5", "hello").made()).isFalse();
    assertThat(carrier.state().fault()).isEqualTo(status + " " + code + ": no way");
  }

  /** One queue without the right holds up no other. */
  @Test
  void aQueueThatDeniesAccessStopsNothingElse() throws Exception {
    aws.answers(error(403, "AccessDenied"));
    for (int i = 0; i < 2 * CarrierFault.MIN_ALIKE; i++) {
      assertThat(enqueue().made()).isTrue();
    }

    assertThat(carrier.state().fault()).isNull();
  }

  /** Something on the way that lets nothing pass has no code of SQS. */
  @Test
  void refusalsWithoutACodeAreTheCarriersAfterAFew() throws Exception {
    aws.answers(Answer.json(403, "<html>"));
    for (int i = 1; i < CarrierFault.MIN_ALIKE; i++) {
      assertThat(enqueue(carrier, "orders-" + i, "hello").made()).isTrue();
    }

    assertThat(enqueue(carrier, "orders-5", "hello").made()).isFalse();
    assertThat(carrier.state().fault()).isEqualTo("403");
  }

  @Test
  void theCarrierRecoversWithTheNextAnswer() throws Exception {
    aws.answers(error(403, "InvalidClientTokenId"));
    assertThat(enqueue().made()).isFalse();
    aws.answers(error(400, "QueueDoesNotExist"));
    AttemptOutcome next =
        Await.value("an attempt that is made", this::enqueue, AttemptOutcome::made);

    assertThat(next.failure()).isEqualTo(CarrierFailure.PERMANENT);
    assertThat(carrier.state().fault()).isNull();
    assertThat(context.recoveries()).isEqualTo(1);
  }

  @Test
  void successWithoutTheSumOfTheBodyIsTriedAgain() throws Exception {
    aws.answers(Answer.json(200, "{\"MessageId\": \"m-1\", \"MD5OfMessageBody\": \"00000000\"}"));
    assertThat(enqueue().failure()).isEqualTo(CarrierFailure.TRANSIENT);

    aws.answers(Answer.json(200, "not JSON"));
    assertThat(enqueue().failure()).isEqualTo(CarrierFailure.TRANSIENT);

    aws.answers(
        Answer.json(
            200,
            "{\"MessageId\": \"m-1\", \"MD5OfMessageBody\":"
                + " \"5d41402abc4b2a76b9719d911017c592\"}"));
    assertThat(enqueue().summary()).isEqualTo("200 enqueued as m-1");
  }

  @Test
  void aConnectionThatBreaksIsTriedAgain() throws Exception {
    aws.answers(new Answer(0, java.util.Map.of(), new byte[0]));

    AttemptOutcome broken = enqueue();

    assertThat(broken.made()).isTrue();
    assertThat(broken.failure()).isEqualTo(CarrierFailure.CONNECTION_LOST);
    assertThat(carrier.state().fault()).isNull();
  }

  @Test
  void noAnswerInTimeIsTriedAgain() throws Exception {
    aws.answers(new Answer(-1, java.util.Map.of(), new byte[0]));
    var attempt = TestAttempts.of(Protocol.QUEUE, "orders", "hello");
    // The first on this connection may have to wait for it on a machine that stands still.
    AttemptOutcome late =
        CarrierCalls.send(carrier, TestAttempts.withTimeout(attempt, Duration.ofSeconds(2)));
    for (int i = 0; i < 50 && !late.made(); i++) {
      java.util.concurrent.locks.LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
      late = CarrierCalls.send(carrier, TestAttempts.withTimeout(attempt, Duration.ofSeconds(2)));
    }

    assertThat(late.failure()).isEqualTo(CarrierFailure.TIMEOUT);
  }

  @Test
  void nobodyAtTheAddressIsTheCarriersOwnFault() throws Exception {
    aws.close();

    assertThat(enqueue().made()).isFalse();
    assertThat(carrier.state().fault()).isNotNull();
  }

  @Test
  void queuesThatCannotBeFoundCostNoRequest() throws Exception {
    assertThat(enqueue(carrier, "no queue", "hello").failure()).isEqualTo(CarrierFailure.PERMANENT);
    Carrier withoutAccount = carrier(aws.url(), "");
    AttemptOutcome nameAlone = enqueue(withoutAccount, "orders", "hello");

    assertThat(nameAlone.failure()).isEqualTo(CarrierFailure.PERMANENT);
    assertThat(nameAlone.summary()).contains("accountId");
    assertThat(aws.all()).isEmpty();
    assertThat(carrier.state().inFlight()).isZero();
  }

  @Test
  void signedRequestsGoOnlyWhereTheCarrierSays() throws Exception {
    aws.answers(error(400, "QueueDoesNotExist"));

    enqueue(carrier, "https://sqs.us-east-1.example.org/999999999999/theirs", "hello");

    assertThat(new String(aws.received.take().body(), UTF_8))
        .contains("\"QueueUrl\":\"" + aws.url() + "/999999999999/theirs\"");
  }

  @Test
  void aFunctionThatReturnsHasTakenTheMessage() throws Exception {
    aws.answers(Answer.json(200, "\"shipped\""));
    AttemptOutcome returned = invoke(carrier, "{\"order\": 7}");

    assertThat(returned.succeeded()).isTrue();
    assertThat(new String(returned.response(), UTF_8)).isEqualTo("\"shipped\"");
    var request = aws.received.take();
    assertThat(request.rawPath()).isEqualTo("/2015-03-31/functions/ship-order%3Alive/invocations");
    assertThat(request.headers()).containsEntry("x-amz-invocation-type", "RequestResponse");
    assertThat(new String(request.body(), UTF_8)).isEqualTo("{\"order\": 7}");

    aws.answers(Answer.json(202, ""));
    Carrier event = carrier(aws.url(), "");
    assertThat(invoke(event, "{}").summary()).isEqualTo("202 taken for later");
    assertThat(aws.received.take().headers()).containsEntry("x-amz-invocation-type", "Event");
  }

  @Test
  void aFunctionsOwnErrorIsToldFromThePlatforms() throws Exception {
    aws.answers(
        Answer.json(200, "{\"errorMessage\": \"no stock\", \"errorType\": \"Error\"}")
            .with("X-Amz-Function-Error", "Unhandled"));

    AttemptOutcome own = invoke(carrier, "{}");
    assertThat(own.failure()).isEqualTo(CarrierFailure.TRANSIENT);
    assertThat(own.summary()).isEqualTo("the function itself failed (Unhandled): no stock");

    Carrier declared =
        carrier(aws.url(), ", \"invocation\": \"request\", \"functionErrors\": \"permanent\"");
    assertThat(invoke(declared, "{}").failure()).isEqualTo(CarrierFailure.PERMANENT);
  }

  @Test
  void whatIsNoJsonReachesAFunctionInAnObject() throws Exception {
    aws.answers(Answer.json(200, ""));
    CarrierCalls.send(
        carrier,
        TestAttempts.of(
            Protocol.FUNCTION,
            "ship-order",
            new CarrierContent("text/plain; charset=utf-8", "hello".getBytes(UTF_8)),
            "{\"kind\": \"new\"}"));
    CarrierCalls.send(
        carrier,
        TestAttempts.of(
            Protocol.FUNCTION,
            "ship-order",
            new CarrierContent("image/png", new byte[] {(byte) 0xff, 0}),
            "{}"));

    assertThat(new String(aws.received.take().body(), UTF_8))
        .contains("\"topic\":\"orders\"")
        .contains("\"attributes\":{\"kind\":\"new\"}")
        .contains("\"body\":\"hello\"");
    assertThat(new String(aws.received.take().body(), UTF_8)).contains("\"bodyBase64\":\"/wA=\"");
  }

  @Test
  void aTestOfTheCarrierAsksForItsQueues() throws Exception {
    aws.answers(Answer.json(200, "{}"));
    assertThat(CarrierCalls.await(carrier.test().toCompletableFuture()))
        .isEqualTo("reached " + aws.url() + " as " + KEY_ID);
    assertThat(aws.received.take().headers()).containsEntry("x-amz-target", "AmazonSQS.ListQueues");

    aws.answers(error(403, "AccessDenied"));
    assertThat(CarrierCalls.await(carrier.test().toCompletableFuture()))
        .endsWith("which may not list queues");

    aws.answers(error(403, "InvalidClientTokenId"));
    assertThat(carrier.test().toCompletableFuture())
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .withMessageContaining("403 InvalidClientTokenId: no way")
        .withMessageNotContaining(SECRET);
  }

  @Test
  void noMoreAreUnderWayThanTheOperatorAllows() throws Exception {
    aws.answers(new Answer(-1, java.util.Map.of(), new byte[0]));
    List<CompletableFuture<AttemptOutcome>> started = new ArrayList<>();
    for (int i = 0; i < MAX_IN_FLIGHT + 5; i++) {
      started.add(CarrierCalls.start(carrier, TestAttempts.of(Protocol.QUEUE, "orders", "hello")));
    }
    for (int i = 0; i < MAX_IN_FLIGHT; i++) {
      aws.received.take();
    }

    for (CompletableFuture<AttemptOutcome> last : started.subList(MAX_IN_FLIGHT, started.size())) {
      assertThat(CarrierCalls.await(last).made()).isFalse();
    }
    assertThat(carrier.state().inFlight()).isEqualTo(MAX_IN_FLIGHT);
    aws.close();
    for (CompletableFuture<AttemptOutcome> each : started) {
      CarrierCalls.await(each);
    }
    assertThat(carrier.state().inFlight()).isZero();
  }

  @Test
  void errorsOfAnyFormAreRead() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    String form =
        "{\"__type\": \"a#b:c\", \"message\": [1, {\"Message\": null}], \"code\": \"\\u2028\"}";
    for (int i = 0; i < 20_000; i++) {
      byte[] body = form.getBytes(UTF_8);
      for (int change = random.nextInt(6); change > 0; change--) {
        body[random.nextInt(body.length)] = (byte) random.nextInt(256);
      }
      byte[] cut = java.util.Arrays.copyOf(body, random.nextInt(body.length + 1));
      var headers = java.util.Map.of(AwsError.TYPE_HEADER, new String(cut, UTF_8));

      AwsError error = AwsError.of(headers, cut);

      assertThat(error.describe()).as("seed %d, round %d", seed, i).doesNotContain("\n", "\r");
      assertThat(error.code().length()).isLessThanOrEqualTo(100);
      assertThat(error.message().length()).isLessThanOrEqualTo(200);
    }
    byte[] deep = "[".repeat(16_000).getBytes(UTF_8);
    assertThat(AwsError.of(java.util.Map.of(), deep).describe()).isEmpty();
  }

  @Test
  void whatMayNotBeginIsNotSent() throws Exception {
    CarrierAttempt late =
        TestAttempts.withStart(TestAttempts.of(Protocol.QUEUE, "orders", "late"), () -> false);

    assertThat(CarrierCalls.send(carrier, late).made()).isFalse();

    assertThat(aws.all()).isEmpty();
  }
}
