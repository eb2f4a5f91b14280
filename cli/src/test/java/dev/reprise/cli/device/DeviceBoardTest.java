package dev.reprise.cli.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.terminal.Terminal;
import dev.reprise.device.ConnectionState;
import dev.reprise.device.ConnectionStatus;
import dev.reprise.device.DeviceCounters;
import dev.reprise.device.StatusReason;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DeviceBoardTest {
  private static final ConnectionStatus CONNECTED =
      new ConnectionStatus(ConnectionState.CONNECTED, StatusReason.OK, null, 0, null);

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private Terminal terminal(boolean interactive, Map<String, String> environment) {
    PrintStream stream = new PrintStream(out, false, StandardCharsets.UTF_8);
    return new Terminal(
        InputStream.nullInputStream(),
        stream,
        stream,
        interactive,
        interactive,
        interactive,
        80,
        environment);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private static ConnectionStatus retrying(String protocol, String code, long waitMillis) {
    var cause =
        DeviceErrors.exception(
            ErrorDetails.of(DeviceErrors.row(protocol, code))
                .withMessage("no answer from localhost,\na server that is far away, for long"));
    return new ConnectionStatus(
        ConnectionState.RETRYING, StatusReason.NETWORK, cause, 3, Duration.ofMillis(waitMillis));
  }

  private static DeviceCounters counted(int waiting, long acknowledged) {
    return new DeviceCounters(
        waiting, 1, 1500, 0, acknowledged, 2, 3, 4, 0, 0, acknowledged + 5, 7, 6);
  }

  private static DeviceState twoOfThree(long acknowledged) {
    return new DeviceState.Sum()
        .add(CONNECTED, counted(0, acknowledged))
        .add(CONNECTED, counted(0, 0))
        .add(retrying("network", "connection-refused", 2300), counted(1000, 0))
        .state();
  }

  @Test
  void aPersonSeesOneTableThatIsDrawnAnew() {
    DeviceBoard board = new DeviceBoard(terminal(true, Map.of("NO_COLOR", "1")), false);

    board.show(twoOfThree(500), 1_000_000_000);
    board.show(twoOfThree(700), 2_000_000_000);

    String[] drawings = printed().split("\r\u001b\\[9A\u001b\\[J", -1);
    assertThat(drawings).hasSize(2);
    assertThat(drawings[1])
        .isEqualTo(
            """
            time           2 s
            connected      2 of 3
            retrying       1, waits of up to 2.3 s
                             1 network: connection-refused - ConnectionRefused: no answe...
            queue          1,000 waiting, 3 in flight
            accepted       4,500
            acknowledged   700, 200/s
            not delivered  6 rejected, 9 expired, 12 dropped
            attempts       715 to send, 21 to connect; 18 failed or lost
            """);
  }

  @Test
  void whatIsLeftIsNotDrawnOver() {
    DeviceBoard board = new DeviceBoard(terminal(true, Map.of()), false);

    board.show(twoOfThree(500), 1_000_000_000);
    board.leave();
    board.show(twoOfThree(500), 2_000_000_000);

    assertThat(printed()).doesNotContain("\u001b[9A");
  }

  @Test
  void noLineIsWiderThanTheTerminal() {
    DeviceBoard board = new DeviceBoard(terminal(true, Map.of("NO_COLOR", "1")), false);

    board.show(twoOfThree(Long.MAX_VALUE / 8), 1_000_000_000);

    assertThat(printed().lines()).allMatch(line -> line.length() < 80);
  }

  @Test
  void aFileGetsALinePerIntervalUnderAHeading() {
    DeviceBoard board = new DeviceBoard(terminal(false, Map.of()), false);

    board.show(twoOfThree(500), 1_000_000_000);
    board.show(twoOfThree(700), 2_000_000_000);

    List<String> lines = printed().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0).split(" {2,}"))
        .containsExactly(
            "",
            "TIME",
            "CONNECTED",
            "RETRYING",
            "WAITING",
            "IN FLIGHT",
            "ACCEPTED",
            "ACKNOWLEDGED",
            "/S",
            "NOT DELIVERED",
            "ATTEMPTS",
            "CONNECTS",
            "LOSSES",
            "WHY");
    assertThat(lines.get(2).strip().split(" {2,}"))
        .containsExactly(
            "2 s",
            "2",
            "1",
            "1000",
            "3",
            "4500",
            "700",
            "200",
            "27",
            "715",
            "21",
            "18",
            "1 network: connection-refused");
  }

  @Test
  void aTerminalWithoutACursorGetsLinesToo() {
    DeviceBoard board = new DeviceBoard(terminal(true, Map.of("TERM", "dumb")), false);

    board.show(twoOfThree(500), 1_000_000_000);

    assertThat(printed()).doesNotContain("\u001b").contains("CONNECTED");
  }

  @Test
  void aRateOverTooShortATimeIsNotShown() {
    DeviceBoard board = new DeviceBoard(terminal(false, Map.of()), true);

    board.show(twoOfThree(500), 1_000_000_000);
    board.show(twoOfThree(510), 1_000_500_000);

    assertThat(printed().lines().map(DeviceBoardTest::json))
        .extracting(line -> line.path("acknowledgedPerSecond").asDouble())
        .containsExactly(500.0, 500.0);
  }

  @Test
  void programsGetALineOfJson() {
    new DeviceBoard(terminal(true, Map.of()), true)
        .show(
            new DeviceState.Sum()
                .add(retrying("network", "connection-refused", 10), counted(1, 0))
                .add(retrying("network", "connection-refused", 20), counted(2, 0))
                .add(retrying("mqtt", "connection-lost", 30), counted(3, 0))
                .state(),
            1_500_000_000);

    JsonNode line = json(printed());
    assertThat(line.path("type").asString()).isEqualTo("state");
    assertThat(line.path("elapsedMillis").asLong()).isEqualTo(1500);
    assertThat(line.path("retrying").asInt()).isEqualTo(3);
    assertThat(line.path("longestWaitMillis").asLong()).isEqualTo(30);
    assertThat(line.path("waiting").asInt()).isEqualTo(6);
    assertThat(line.path("reasons").toString())
        .isEqualTo("{\"network: connection-refused\":2,\"network: mqtt connection-lost\":1}");
  }

  private static JsonNode json(String line) {
    return new JsonMapper().readTree(line);
  }
}
