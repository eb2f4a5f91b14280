package dev.reprise.device.error;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.Verdict;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TransportExceptionTest {
  static Stream<ErrorRow> rows() {
    return Stream.concat(
        DeviceErrors.rows().stream(),
        Stream.of(
            DeviceErrors.row("amqp", "com.example:throttled"),
            DeviceErrors.row("mqtt5-puback", 0xFF),
            DeviceErrors.row("http", 599),
            DeviceErrors.row("http", 999),
            DeviceErrors.row("network", "unheard-of"),
            DeviceErrors.row("coap", "4.04")));
  }

  private static Class<?> expectedClass(ErrorRow row) {
    if (row.name().equals("MqttBadUsernameOrPassword")) {
      return MqttBadUsernameOrPasswordException.class;
    }
    if (row.protocol().startsWith("mqtt") || row.protocol().startsWith("amqp")) {
      return ProtocolException.class;
    }
    return row.protocol().equals("http") ? HubServiceException.class : TransportException.class;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void theClassOfAnExceptionTellsTheProtocol(ErrorRow row) {
    assertThat(DeviceErrors.exception(ErrorDetails.of(row)))
        .isExactlyInstanceOf(expectedClass(row));
  }

  @Test
  void aRefusedPasswordIsAProtocolException() {
    assertThat(DeviceErrors.exception("mqtt5-connack", "0x86"))
        .isExactlyInstanceOf(MqttBadUsernameOrPasswordException.class)
        .isInstanceOf(ProtocolException.class);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void theApplicationSeesTheVerdictThatTheClientActsOn(ErrorRow row) {
    TransportException exception = DeviceErrors.exception(ErrorDetails.of(row));
    RetryInfo info = exception;
    ErrorInfo errorInfo = exception;

    assertThat(exception.isRetryable()).isEqualTo(row.retryable());
    assertThat(exception.kind()).isEqualTo(row.kind());
    assertThat(exception.scope()).isEqualTo(row.scope());
    assertThat(exception.name()).isEqualTo(row.name());
    assertThat(exception.protocol()).isEqualTo(row.protocol());
    assertThat(exception.code()).isEqualTo(row.code());
    assertThat(exception).hasMessageContaining(row.name()).hasMessageContaining(row.code());
    assertThat(info.isRetrySafe()).isEqualTo(row.retryable() ? RetrySafety.YES : RetrySafety.NO);
    assertThat(info.isThrottle()).isEqualTo(row.kind() == ErrorKind.THROTTLE);
    assertThat(info.isTimeout()).isEqualTo(row.kind() == ErrorKind.TIMEOUT);
    assertThat(errorInfo.fault() == ErrorFault.SERVER).isEqualTo(row.kind() == ErrorKind.SERVER);

    // As it is thrown, and as a stage of an asynchronous call wraps it.
    for (Throwable thrown : new Throwable[] {exception, new CompletionException(exception)}) {
      Verdict verdict = Classifier.defaults().classify(thrown);
      assertThat(verdict.isRetrySafe()).isEqualTo(info.isRetrySafe());
      assertThat(verdict.isThrottle()).isEqualTo(info.isThrottle());
      assertThat(verdict.isTimeout()).isEqualTo(info.isTimeout());
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void anUnknownKindIsNeverRetried(ErrorRow row) {
    assertThat(row.kind() == ErrorKind.UNKNOWN && row.retryable()).isFalse();
  }

  @Test
  void theHintAndTheServerAreThoseOfTheDetails() {
    TransportException exception =
        DeviceErrors.exception(
            ErrorDetails.of(DeviceErrors.row("http", 429))
                .withMessage("slow down")
                .withRetryAfter(Duration.ofSeconds(7))
                .withServerReference("other.example:8883"));

    assertThat(exception).isExactlyInstanceOf(HubServiceException.class);
    assertThat(exception).hasMessage("Throttled: slow down");
    assertThat(exception.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(exception.serverReference()).isEqualTo("other.example:8883");
    assertThat(Classifier.defaults().classify(exception).retryAfter())
        .isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void aNegativeHintIsNone() {
    ErrorDetails details =
        ErrorDetails.of(DeviceErrors.row("http", 429)).withRetryAfter(Duration.ofSeconds(-1));

    assertThat(details.retryAfter()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "NULL",
      value = {"NULL, Throttled (http 429)", "' ', Throttled (http 429)", "now, Throttled: now"})
  void withoutWordsTheCodeTellsWhatHappened(String words, String message) {
    ErrorDetails details = ErrorDetails.of(DeviceErrors.row("http", 429)).withMessage(words);

    assertThat(details.message()).isEqualTo(message);
  }

  @Test
  void wordsOfTheOtherSideStayOnOneLineAndShort() {
    ErrorDetails details =
        ErrorDetails.of(DeviceErrors.row("http", 429))
            .withMessage("a\r\nb\u0085c" + "x".repeat(1_000_000));

    assertThat(details.message()).startsWith("Throttled: a b").hasSizeLessThan(1_010);
    assertThat(details.message().lines()).hasSize(1);
  }

  @Test
  void anExceptionKeepsItsVerdictThroughSerialization() throws Exception {
    TransportException sent =
        DeviceErrors.exception(
            ErrorDetails.of(DeviceErrors.row("mqtt3-connack", 4))
                .withCause(new ConnectException("refused"))
                .withRetryAfter(Duration.ofSeconds(3)));

    TransportException received = (TransportException) copy(sent);

    assertThat(received).isExactlyInstanceOf(MqttBadUsernameOrPasswordException.class);
    assertThat(received.isRetryable()).isFalse();
    assertThat(received.kind()).isEqualTo(ErrorKind.CREDENTIAL);
    assertThat(received.retryAfter()).isEqualTo(Duration.ofSeconds(3));
    assertThat(received).hasCauseExactlyInstanceOf(ConnectException.class);
  }

  private static Object copy(Object original) throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(original);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return in.readObject();
    }
  }

  @Test
  void aRowOfACustomTransportGetsTheGeneralException() {
    ErrorRow row =
        new ErrorRow("coap", "5.03", "CoapBusy", true, ErrorKind.SERVER, ErrorScope.OPERATION);

    TransportException exception = DeviceErrors.exception(ErrorDetails.of(row));

    assertThat(exception).isExactlyInstanceOf(TransportException.class);
    assertThat(exception.isRetryable()).isTrue();
  }
}
