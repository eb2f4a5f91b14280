package dev.reprise.device.error;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.mqtt5.message.Mqtt5ReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.suback.Mqtt5SubAckReasonCode;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceErrorsTest {
  private static List<String> lines(String resource) throws IOException {
    try (InputStream in = DeviceErrors.class.getResourceAsStream(resource)) {
      return new String(Objects.requireNonNull(in, resource).readAllBytes(), UTF_8)
          .lines()
          .toList();
    }
  }

  private static String line(ErrorRow row) {
    return String.join(
        ",",
        row.protocol(),
        row.code(),
        row.name(),
        row.retryable() ? "yes" : "no",
        row.kind().name().toLowerCase(Locale.ROOT),
        row.scope().name().toLowerCase(Locale.ROOT));
  }

  @Test
  void everyLineOfTheFileIsOneRowAndSaysExactlyWhatIsInIt() throws IOException {
    List<String> lines = lines("device-errors.csv");

    assertThat(lines.get(0)).isEqualTo("protocol,code,name,retryable,kind,scope");
    assertThat(DeviceErrors.rows().stream().map(DeviceErrorsTest::line))
        .containsExactlyElementsOf(lines.subList(1, lines.size()));
  }

  @Test
  void theGivenRowsStandFirstAndUnchanged() throws IOException {
    List<String> given = lines("/vectors/device-errors.csv");

    assertThat(lines("device-errors.csv").subList(0, given.size())).isEqualTo(given);
  }

  @Test
  void everyRowIsFoundByItsCode() {
    assertThat(DeviceErrors.rows())
        .isNotEmpty()
        .allSatisfy(row -> assertThat(DeviceErrors.row(row.protocol(), row.code())).isEqualTo(row));
  }

  @Test
  void codesAreWrittenInOneWay() {
    assertThat(DeviceErrors.rows())
        .allSatisfy(
            row -> assertThat(Codes.written(row.protocol(), row.code())).isEqualTo(row.code()));
  }

  static Stream<Arguments> packetsOfMqtt5() {
    return Stream.of(
        Arguments.of("mqtt5-connack", Mqtt5ConnAckReasonCode.values()),
        Arguments.of("mqtt5-disconnect", Mqtt5DisconnectReasonCode.values()),
        Arguments.of("mqtt5-puback", Mqtt5PubAckReasonCode.values()),
        Arguments.of("mqtt5-suback", Mqtt5SubAckReasonCode.values()));
  }

  /** The list of a library that nobody here wrote. */
  @ParameterizedTest
  @MethodSource("packetsOfMqtt5")
  void everyReasonCodeOfMqtt5HasARowAndNoOtherCodeHas(String packet, Mqtt5ReasonCode[] defined) {
    // A server that ends the connection in good order has ended it all the same.
    boolean zeroEndsTheConnection = packet.equals("mqtt5-disconnect");

    assertThat(
            DeviceErrors.rows().stream()
                .filter(row -> row.protocol().equals(packet))
                .map(ErrorRow::code))
        .containsExactlyElementsOf(
            Arrays.stream(defined)
                .filter(code -> code.isError() || zeroEndsTheConnection)
                .map(code -> String.format(Locale.ROOT, "0x%02X", code.getCode()))
                .toList());
  }

  @ParameterizedTest
  @CsvSource({"0x93, THROTTLE", "0x96, THROTTLE", "0x97, QUOTA", "0x9F, THROTTLE"})
  void theLimitsOfMqtt5AreRetriedMoreSlowlyInEveryPacket(String code, ErrorKind kind) {
    List<ErrorRow> rows =
        DeviceErrors.rows().stream()
            .filter(row -> row.protocol().startsWith("mqtt5") && row.code().equals(code))
            .toList();

    assertThat(rows)
        .isNotEmpty()
        .allSatisfy(
            row -> {
              assertThat(row.kind()).isEqualTo(kind);
              assertThat(row.retryable()).isTrue();
            });
  }

  @Test
  void oneNameMeansTheSameInEveryRow() {
    // A range of statuses; and a code that means something else once a connection was good.
    Set<String> exempt = Set.of("ServiceUnknown", "MqttImplementationSpecificError");

    assertThat(
            DeviceErrors.rows().stream()
                .filter(row -> !exempt.contains(row.name()))
                .map(row -> row.name() + " " + row.retryable() + " " + row.kind())
                .distinct()
                .map(verdict -> verdict.substring(0, verdict.indexOf(' '))))
        .doesNotHaveDuplicates();
  }

  @Test
  void whatOnlyAnotherCredentialMendsIsNeverRetriedAsItIs() {
    // The credential of the other side is not the device's to mend.
    assertThat(
            DeviceErrors.rows().stream()
                .filter(row -> row.kind() == ErrorKind.CREDENTIAL)
                .filter(row -> !row.code().equals("tls-server-certificate")))
        .isNotEmpty()
        .noneMatch(ErrorRow::retryable);
  }

  @Test
  void everyReservedCodeOfAnMqtt3ConnackIsUnexpectedAndNotRetried() {
    IntStream.rangeClosed(6, 255)
        .forEach(
            code ->
                assertThat(DeviceErrors.row("mqtt3-connack", code))
                    .isEqualTo(
                        new ErrorRow(
                            "mqtt3-connack",
                            String.valueOf(code),
                            "MqttUnexpectedError",
                            false,
                            ErrorKind.UNKNOWN,
                            ErrorScope.CONNECTION)));
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt3-connack, 256,  ProtocolException,   CONNECTION",
    "mqtt3-suback,  129,  MqttUnexpectedError, OPERATION",
    "mqtt5-connack, 0x8B, MqttUnexpectedError, CONNECTION",
    "mqtt5-connack, 0x00, MqttUnexpectedError, CONNECTION",
    "mqtt5-disconnect, 0xFF, MqttUnexpectedError, CONNECTION",
    "mqtt5-puback,  0x92, MqttUnexpectedError, OPERATION",
    "mqtt5-suback,  0x8E, MqttUnexpectedError, OPERATION",
    "mqtt,          what, ProtocolException,   CONNECTION",
    "amqp,          x:y,  ProtocolException,   CONNECTION",
    "amqp-sasl,     9,    ProtocolException,   CONNECTION",
    "http,          204,  HubServiceException, OPERATION",
    "http,          600,  HubServiceException, OPERATION",
    "http,          -1,   HubServiceException, OPERATION",
    "http,          what, HubServiceException, OPERATION",
    "network,       what, TransportException,  CONNECTION",
    "coap,          4.04, TransportException,  CONNECTION"
  })
  void whatNobodyKnowsIsOfUnknownKindAndNotRetried(
      String protocol, String code, String name, ErrorScope scope) {
    assertThat(DeviceErrors.row(protocol, code))
        .isEqualTo(new ErrorRow(protocol, code, name, false, ErrorKind.UNKNOWN, scope));
  }

  @ParameterizedTest
  @ValueSource(ints = {505, 507, 510, 520, 599})
  void everyOtherStatusFrom500To599IsTheServersFaultAndRetried(int status) {
    assertThat(DeviceErrors.row("http", status))
        .isEqualTo(
            new ErrorRow(
                "http",
                String.valueOf(status),
                "ServiceUnknown",
                true,
                ErrorKind.SERVER,
                ErrorScope.OPERATION));
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 301, 304, 307, 308, 399})
  void everyStatusFrom300To399IsARedirect(int status) {
    assertThat(DeviceErrors.row("http", status)).isEqualTo(DeviceErrors.row("http", "redirect"));
    assertThat(DeviceErrors.row("http", status).retryable()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {402, 405, 409, 411, 422, 451, 499})
  void everyOtherStatusFrom400To499IsNotRetried(int status) {
    assertThat(DeviceErrors.row("http", status))
        .isEqualTo(
            new ErrorRow(
                "http",
                String.valueOf(status),
                "ServiceUnknown",
                false,
                ErrorKind.CLIENT,
                ErrorScope.OPERATION));
  }

  @ParameterizedTest
  @CsvSource({
    "com.example:link-throttled, AmqpThrottled,  CONNECTION",
    "com.example:Throttled,      AmqpThrottled,  CONNECTION",
    "com.example:server-busy,    AmqpServerBusy, OPERATION"
  })
  void throttlesOfAnyVendorAreThrottles(String condition, String name, ErrorScope scope) {
    assertThat(DeviceErrors.row("amqp", condition))
        .isEqualTo(new ErrorRow("amqp", condition, name, true, ErrorKind.THROTTLE, scope));
  }

  @ParameterizedTest
  @CsvSource({
    "mqtt5-connack, 0x9f, 0x9F",
    "mqtt5-connack, 0X9F, 0x9F",
    "mqtt5-connack, 159,  0x9F",
    "mqtt5-connack, ' 0x9F ', 0x9F",
    "mqtt3-connack, 0x05, 5",
    "mqtt3-connack, 05,   5",
    "http,          0429, 429",
    "http,          ' 429\n', 429",
    "amqp,          AMQP:Not-Found, amqp:not-found",
    "amqp,          ' com.microsoft:TIMEOUT', com.microsoft:timeout"
  })
  void codesInOddFormsAreTheSameCodes(String protocol, String code, String written) {
    ErrorRow row = DeviceErrors.row(protocol, code);

    assertThat(row.code()).isEqualTo(written);
    assertThat(DeviceErrors.rows()).contains(row);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "0x", "0xZZ", "+5", "-5", "99999999999", "0x-5", "0x+5", "٥"})
  void whatIsNoNumberIsNoCodeOfMqtt(String code) {
    assertThat(DeviceErrors.row("mqtt3-connack", code).name()).isEqualTo("ProtocolException");
    assertThat(DeviceErrors.row("mqtt5-connack", code).kind()).isEqualTo(ErrorKind.UNKNOWN);
  }

  @Test
  void numbersAreTheSameAsTheirTexts() {
    assertThat(DeviceErrors.row("mqtt5-puback", 0x97))
        .isEqualTo(DeviceErrors.row("mqtt5-puback", "0x97"));
    assertThat(DeviceErrors.row("mqtt3-connack", 5))
        .isEqualTo(DeviceErrors.row("mqtt3-connack", "5"));
    assertThat(DeviceErrors.row("http", 503)).isEqualTo(DeviceErrors.row("http", "503"));
    assertThat(DeviceErrors.row("http", Integer.MIN_VALUE).retryable()).isFalse();
  }

  @Test
  void aHostileConditionNeitherFillsNorForgesALog() {
    String condition = "evil:\n2026-11-21 all is well\u2028\u0000" + "x".repeat(1_000_000);

    TransportException exception = DeviceErrors.exception("amqp", condition);

    assertThat(exception.isRetryable()).isFalse();
    assertThat(exception.code()).hasSizeLessThan(210).doesNotContainPattern("[\\p{Cntrl}\u2028]");
    assertThat(exception.getMessage()).hasSizeLessThan(300);
  }
}
