package dev.reprise.device;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.retry.ExponentialBackoffWithJitter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Servers that send a device to each other in a ring, for hours of virtual time. */
class RedirectRingTest extends ScriptedDevice {
  private static final int HOURS = 6;

  /** Each attempt is one of a ring of three; the last one of a round names the first again. */
  private int attemptsInTheLastHour(Duration connectedFor, String protocol) throws Exception {
    hubPolicy = new ExponentialBackoffWithJitter();
    DeviceClient client = client(builder -> builder);
    client.open();
    settle();
    int before = 0;
    int answered = 0;
    Duration step = ofSeconds(1);
    for (Duration at = Duration.ZERO; at.compareTo(ofHours(HOURS)) < 0; at = at.plus(step)) {
      if (before == 0 && at.compareTo(ofHours(HOURS - 1)) >= 0) {
        before = transport.links.size();
      }
      while (answered < transport.links.size()) {
        answered++;
        if (!connectedFor.isZero()) {
          transport.last().ready();
          time.advance(connectedFor);
          at = at.plus(connectedFor);
        }
        transport.last().lose(elsewhere(protocol, answered));
        settle();
      }
      time.advance(step);
    }
    assertThat(client.status().state()).isNotEqualTo(ConnectionState.DISCONNECTED);
    close(client);
    return transport.links.size() - before;
  }

  private TransportException elsewhere(String protocol, int answered) {
    return DeviceErrors.exception(
        details(protocol, "0x9D").withServerReference("server-" + answered % 3 + ".example"));
  }

  @Test
  void refusedByEachItAsksSeldom() throws Exception {
    // The backoff does not start over: 10 s are its maximum.
    assertThat(attemptsInTheLastHour(Duration.ZERO, "mqtt5-connack")).isBetween(1, 361);
    assertThat(transport.last().request.server()).startsWith("server-");
  }

  @Test
  void acceptedByEachForAMomentItAsksSeldom() throws Exception {
    assertThat(attemptsInTheLastHour(ofSeconds(5), "mqtt5-disconnect")).isBetween(1, 361);
  }

  @Test
  void acceptedByEachForLongItStillReconnectsInMeasure() throws Exception {
    // A connection that lasted is one a minute.
    assertThat(attemptsInTheLastHour(ofMinutes(1), "mqtt5-disconnect")).isBetween(1, 61);
  }
}
