package dev.reprise.device.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAddressTest {
  private static final ServerAddress HUB = new ServerAddress("hub", 8883);

  @ParameterizedTest
  @CsvSource({
    "other,          other,    8883",
    "other:443,      other,    443",
    "bücher.example, bücher.example, 8883",
    "10.0.0.7:5671,  10.0.0.7, 5671",
    "[::1]:5671,     ::1,      5671",
    "[::1],          ::1,      8883",
    "::1,            ::1,      8883",
    "fe80::1%eth0,   fe80::1%eth0, 8883"
  })
  void goesWhereAReferencePoints(String reference, String host, int port) {
    assertThat(HUB.redirectedTo(reference)).isEqualTo(new ServerAddress(host, port));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        ":",
        ":5671",
        "other:",
        "other:x",
        "other:0",
        "other:70000",
        "other:-1",
        "other:999999999999",
        "[::1",
        "[]:5671",
        "[other]:5671",
        "amqps://other:5671",
        "two words",
        "other:443/path"
      })
  void staysWhereAReferenceCannotBeRead(String reference) {
    assertThat(HUB.redirectedTo(reference)).isEqualTo(HUB);
  }
}
