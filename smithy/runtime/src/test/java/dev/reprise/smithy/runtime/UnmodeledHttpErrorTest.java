package dev.reprise.smithy.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.retry.Retry;
import dev.reprise.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnmodeledHttpErrorTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 99, 100, 302, 400, 404, 408, 429, 500, 501, 503, 504, 599, 600, -1})
  void withoutACodeTheFactsAreThoseOfTheStatus(int status) {
    HttpFailure facts = HttpFailure.status(status, null);

    UnmodeledHttpError error = new UnmodeledHttpError(status, "", null);

    assertThat(error.httpStatus()).isEqualTo(status);
    assertThat(error.fault()).isEqualTo(facts.fault());
    assertThat(error.isRetrySafe()).isEqualTo(facts.isRetrySafe());
    assertThat(error.isThrottle()).isEqualTo(facts.isThrottle());
    assertThat(error.isTimeout()).isEqualTo(facts.isTimeout());
  }

  @Test
  void a503WithAWaitIsThrottlingAndOneWithoutIsNot() {
    UnmodeledHttpError with = new UnmodeledHttpError(503, "", Duration.ofSeconds(1));
    UnmodeledHttpError without = new UnmodeledHttpError(503, "", null);

    assertThat(with.isThrottle()).isTrue();
    assertThat(with.isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(without.isThrottle()).isFalse();
    assertThat(without.isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "TooManyRequestsException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "BandwidthLimitExceeded",
        "SlowDown",
        "EC2ThrottledException",
        "LimitExceededException",
        "PriorRequestNotComplete",
        "TransactionInProgressException"
      })
  void aCodeOfThrottlingIsSafeToRetryWhateverTheStatus(String code) {
    for (int status : new int[] {400, 403, 429, 500, 503}) {
      UnmodeledHttpError error = new UnmodeledHttpError(status, code, null);

      assertThat(error.isThrottle()).isTrue();
      assertThat(error.isRetrySafe()).isEqualTo(RetrySafety.YES);
      assertThat(error.isTimeout()).isFalse();
    }
    assertThat(new UnmodeledHttpError(400, code, null).fault()).isEqualTo(ErrorFault.CLIENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RequestTimeout", "RequestTimeoutException"})
  void aCodeOfTimeoutMayHaveTakenEffectWhateverTheStatus(String code) {
    for (int status : new int[] {400, 408, 500}) {
      UnmodeledHttpError error = new UnmodeledHttpError(status, code, null);

      assertThat(error.isTimeout()).isTrue();
      assertThat(error.isThrottle()).isFalse();
      assertThat(error.isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"NotAThrottlingError", "throttling", "Throttling2", "ValidationException"})
  void anyOtherCodeAddsNothing(String code) {
    UnmodeledHttpError error = new UnmodeledHttpError(400, code, null);

    assertThat(error.isThrottle()).isFalse();
    assertThat(error.isRetrySafe()).isEqualTo(RetrySafety.NO);
  }

  @ParameterizedTest
  @CsvSource({
    "503,'','HTTP 503 Service Unavailable'",
    "400,ValidationException,'HTTP 400 Bad Request, code ValidationException'",
    "599,'','HTTP 599'",
    "599,Odd,'HTTP 599, code Odd'"
  })
  void theMessageHasTheStatusAndTheCode(int status, String code, String message) {
    assertThat(new UnmodeledHttpError(status, code, null)).hasMessage(message);
  }

  @Test
  void aCodeIsOnOneLineAndOfLettersAndDigits() {
    UnmodeledHttpError error =
        new UnmodeledHttpError(400, "Bad\r\n\u0000<Code>\u202e é_1.2-3", null);

    assertThat(error.code()).isEqualTo("BadCode_1.2-3");
    assertThat(error).hasMessage("HTTP 400 Bad Request, code BadCode_1.2-3");
  }

  @Test
  void aCodeIsCutAfter128Characters() {
    assertThat(new UnmodeledHttpError(400, "x".repeat(128), null).code()).hasSize(128);
    assertThat(new UnmodeledHttpError(400, "x".repeat(10_000_000), null).code()).hasSize(128);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 204, 299})
  void successIsNoError(int status) {
    assertThatThrownBy(() -> new UnmodeledHttpError(status, "", null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("status is " + status);
  }

  @Test
  void theErrorKeepsItsFactsWhenItIsSerialized() throws Exception {
    UnmodeledHttpError error =
        (UnmodeledHttpError)
            HttpErrorTest.serialized(
                new UnmodeledHttpError(400, "SlowDown", Duration.ofMillis(1500)));

    assertThat(error.code()).isEqualTo("SlowDown");
    assertThat(error.isThrottle()).isTrue();
    assertThat(error.retryAfter()).isEqualTo(Duration.ofMillis(1500));
    assertThat(error).hasMessage("HTTP 400 Bad Request, code SlowDown");
  }

  @Test
  void aRetryRepeatsAThrottledRequestAfterTheWaitOfTheService() throws Exception {
    VirtualTime time = new VirtualTime();
    AtomicInteger attempts = new AtomicInteger();

    String answer =
        retry(time)
            .call(
                () -> {
                  if (attempts.incrementAndGet() == 1) {
                    throw new UnmodeledHttpError(
                        400, "ThrottlingException", Duration.ofMillis(4321));
                  }
                  return "sunny";
                });

    assertThat(answer).isEqualTo("sunny");
    assertThat(time.waits()).contains(Duration.ofMillis(4321));
    assertThat(attempts).hasValue(2);
  }

  @Test
  void aRetryDoesNotRepeatWhatTheServiceRefused() {
    UnmodeledHttpError refused =
        new UnmodeledHttpError(400, "ValidationException", Duration.ofMillis(1));

    assertThat(attemptsOf(refused, true)).isEqualTo(1);
  }

  @Test
  void aRetryRepeatsWhatMayHaveTakenEffectOnlyWhenThatDoesNoHarm() {
    UnmodeledHttpError timeout = new UnmodeledHttpError(400, "RequestTimeout", null);

    assertThat(attemptsOf(timeout, false)).isEqualTo(1);
    assertThat(attemptsOf(timeout, true)).isEqualTo(3);
  }

  private static int attemptsOf(UnmodeledHttpError error, boolean idempotent) {
    AtomicInteger attempts = new AtomicInteger();
    Retry retry = Retry.builder().time(new VirtualTime()).idempotent(idempotent).build();
    assertThatThrownBy(
            () ->
                retry.call(
                    () -> {
                      attempts.incrementAndGet();
                      throw error;
                    }))
        .isSameAs(error);
    return attempts.get();
  }

  private static Retry retry(VirtualTime time) {
    return Retry.builder().time(time).build();
  }
}
