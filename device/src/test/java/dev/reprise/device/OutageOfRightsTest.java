package dev.reprise.device;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A device that may not send anything for a while. */
class OutageOfRightsTest extends RuledDevice {
  private final TransportException forbidden = DeviceErrors.exception("mqtt5-puback", "0x87");

  @ParameterizedTest
  @CsvSource({
    "mqtt5-puback, 0x87, 64, CREDENTIAL",
    "mqtt5-puback, 0x87, 1, CREDENTIAL",
    "http, forbidden, 1, REFUSED",
    "http, 400, 4, REFUSED",
    "amqp, amqp:unauthorized-access, 64, CREDENTIAL"
  })
  void aBacklogIsNotLostToOneCause(String protocol, String code, int window, StatusReason reason)
      throws Exception {
    hub = new RuledHub(time, window, ofMillis(5));
    TransportException refusal = DeviceErrors.exception(protocol, code);
    refuse("", refusal);
    List<ConnectionStatus> statuses = new ArrayList<>();
    DeviceClient client = open(builder -> builder.onStatus((now, before) -> statuses.add(now)));
    enqueue(client, "m", 100);
    time.advance(ofSeconds(1));
    assertThat(outcomes).hasSize(10).allMatch(outcome -> outcome.kind() == Kind.REJECTED);
    assertThat(client.status().state()).isEqualTo(ConnectionState.CONNECTED);
    assertThat(client.status().reason()).isEqualTo(reason);
    assertThat(client.status().cause()).isSameAs(refusal);
    int atOnce = hub.attempts;
    assertThat(atOnce).isLessThanOrEqualTo(9 + window);
    time.advance(ofSeconds(58));
    assertThat(hub.attempts).isEqualTo(atOnce);

    // Ten messages after 60 to 100 s, and twice as late each time.
    time.advance(ofHours(10));
    assertThat(outcomes).hasSize(10);
    assertThat(hub.attempts - atOnce).isBetween(10 * 30, 10 * 50);
    assertThat(hub.connections).isEqualTo(1);

    refuse("none", refusal);
    time.advance(ofMinutes(20));
    assertThat(outcomes).hasSize(100);
    assertThat(outcomes.stream().filter(MessageOutcome::isAcknowledged)).hasSize(90);
    assertThat(client.status().reason()).isEqualTo(StatusReason.OK);
    assertThat(statuses).extracting(ConnectionStatus::reason).containsOnlyOnce(reason);

    // Now it is about the message again.
    refuse("bad", refusal);
    enqueue(client, "bad", 1);
    time.advance(ofSeconds(1));
    assertThat(of("bad")).extracting(MessageOutcome::kind).containsExactly(Kind.REJECTED);
  }

  @ParameterizedTest
  @CsvSource({"10", "30", "200"})
  void aForbiddenTopicLetsOthersPass(int bad) throws Exception {
    refuse("bad", forbidden);
    DeviceClient client = open(builder -> builder);
    enqueue(client, "bad", bad);
    enqueue(client, "good", 59);
    time.advance(ofHours(8));
    assertAllTakenOnce("good", 59);
    assertThat(of("bad")).allMatch(outcome -> outcome.kind() == Kind.REJECTED);
  }

  @Test
  void itCountsOnlyWhatTheHubSaysInARowWithOneCode() throws Exception {
    TransportException malformed = DeviceErrors.exception("mqtt5-puback", "0x99");
    TransportException tooLarge = DeviceErrors.exception("mqtt", "packet-too-large");
    hub.rule =
        id ->
            id.startsWith("large")
                ? tooLarge
                : Integer.parseInt(id.substring(4)) % 2 == 0 ? forbidden : malformed;
    DeviceClient client = open(builder -> builder);
    enqueue(client, "any", 100);
    enqueue(client, "large", 100);
    time.advance(ofSeconds(1));
    assertThat(outcomes).hasSize(200).allMatch(outcome -> outcome.kind() == Kind.REJECTED);
    assertThat(client.status().reason()).isEqualTo(StatusReason.OK);
  }

  @Test
  void theNumberIsASetting() throws Exception {
    refuse("", forbidden);
    DeviceClient client = open(builder -> builder.maxRejectedInARow(3));
    enqueue(client, "m", 20);
    time.advance(ofHours(1));
    assertThat(outcomes).hasSize(3);

    for (int wrong : new int[] {0, -1, 1_000_001}) {
      assertThatThrownBy(() -> open(builder -> builder.maxRejectedInARow(wrong)))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining("maxRejectedInARow")
          .hasMessageContaining(String.valueOf(wrong))
          .hasMessageContaining("must be between 1 and 1000000");
    }
  }

  @Test
  void aTimeToLiveEndsWhileItWaits() throws Exception {
    refuse("", forbidden);
    DeviceClient client = open(builder -> builder);
    enqueue(client, "m", 10);
    for (int i = 0; i < 5; i++) {
      client.enqueue(Message.builder().id("brief-" + i).timeToLive(ofMinutes(10)).build());
    }
    time.advance(ofMinutes(11));
    assertThat(of("brief")).hasSize(5).allMatch(outcome -> outcome.kind() == Kind.EXPIRED);
  }

  @Test
  void anotherConnectionTellsItAgainAndWaitsOn() throws Exception {
    refuse("", forbidden);
    DeviceClient client = open(builder -> builder);
    enqueue(client, "m", 20);
    time.advance(ofSeconds(1));
    int before = hub.attempts;
    hub.lose(DeviceErrors.exception("network", "connection-reset"));
    time.advance(ofSeconds(10));
    assertThat(hub.connections).isEqualTo(2);
    assertThat(hub.attempts).isEqualTo(before);
    assertThat(client.status().cause()).isSameAs(forbidden);
    assertThat(client.counters().expired()).isZero();

    // An operator who has mended it need not wait.
    refuse("none", forbidden);
    client.reconnectNow();
    time.advance(ofSeconds(1));
    assertThat(client.counters().acknowledged()).isEqualTo(10);
    assertThat(client.status().reason()).isEqualTo(StatusReason.OK);
  }

  @Test
  void aTimeToLiveEndsForThoseThatWereUnderWayWhenItBegan() throws Exception {
    refuse("", forbidden);
    DeviceClient client = open(builder -> builder);
    enqueue(client, "m", 10);
    for (int i = 0; i < 5; i++) {
      client.enqueue(Message.builder().id("brief-" + i).timeToLive(ofSeconds(30)).build());
    }
    time.advance(ofSeconds(1));
    assertThat(hub.attempts).isEqualTo(15);
    time.advance(ofSeconds(30));
    assertThat(of("brief")).hasSize(5).allMatch(outcome -> outcome.kind() == Kind.EXPIRED);
    assertThat(of("brief")).allMatch(outcome -> outcome.cause() == forbidden);
  }

  @Test
  void theStatusSaysItWhenAPauseOverAThrottleEndsMeanwhile() throws Exception {
    TransportException tooFast = DeviceErrors.exception("mqtt5-puback", "0x97");
    hub.rule = id -> id.startsWith("m") ? forbidden : tooFast;
    DeviceClient client = open(builder -> builder);
    enqueue(client, "m", 10);
    for (int i = 0; i < 5; i++) {
      client.enqueue(Message.builder().id("brief-" + i).timeToLive(ofSeconds(10)).build());
    }
    time.advance(ofMinutes(1));
    assertThat(outcomes).hasSize(15);
    assertThat(client.status().cause()).isSameAs(forbidden);
    refuse("none", forbidden);
    enqueue(client, "m", 1);
    time.advance(ofMinutes(20));
    assertThat(client.status().reason()).isEqualTo(StatusReason.OK);
  }
}
