package dev.reprise.device;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.RetryPolicies;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each sending says how much of the time to live is left, in virtual time. */
class TimeToLiveTest extends ScriptedDevice {
  private Duration sentWith() {
    return transport.last().sent.get(0).message().timeToLive();
  }

  @Test
  void eachSendingSaysHowMuchIsLeft() throws Exception {
    DeviceClient client = client(builder -> builder);
    client.send(Message.builder().id("a").body("x").timeToLive(ofSeconds(10)).build());
    time.advance(ofMillis(1_500));
    client.open();
    settle();
    transport.last().ready();
    settle();
    assertThat(sentWith()).isEqualTo(ofMillis(8_500));
    time.advance(ofMillis(2_500));
    transport.last().lose(lost);
    settle();
    time.advance(ofSeconds(1));
    transport.last().ready();
    settle();
    assertThat(sentWith()).isEqualTo(ofSeconds(5));
    assertThat(transport.last().sent.get(0).message().body()).asString().isEqualTo("x");
  }

  @Test
  void aRefusedMessageIsSentAgainWithTheRest() throws Exception {
    DeviceClient client = connected();
    client.send(Message.builder().id("a").timeToLive(ofSeconds(10)).build());
    settle();
    transport.last().sent.get(0).callback().onFailed(busy);
    time.advance(ofSeconds(1));
    assertThat(transport.last().sent).hasSize(2);
    assertThat(transport.last().sent.get(1).message().timeToLive()).isEqualTo(ofSeconds(9));
  }

  @Test
  void theDefaultOfTheQueueIsSaidToo() throws Exception {
    DeviceClient client =
        client(builder -> builder.queue(QueueSettings.defaults().withTimeToLive(ofSeconds(30))));
    send(client, "a");
    time.advance(ofSeconds(10));
    client.open();
    settle();
    transport.last().ready();
    settle();
    assertThat(sentWith()).isEqualTo(ofSeconds(20));
  }

  @Test
  void aMessageWithoutATimeToLiveIsSentWithoutOne() throws Exception {
    DeviceClient client = connected();
    send(client, "a");
    assertThat(sentWith()).isNull();
  }

  @Test
  void whatLivedTooLongWhileAllWaitForTheHubIsNotSent() throws Exception {
    DeviceClient client =
        connected(builder -> builder.messageRetryPolicy(RetryPolicies.fixed(ofSeconds(40))));
    for (int i = 0; i < 11; i++) {
      client.enqueue(Message.builder().id("m" + i).timeToLive(ofSeconds(30)).build());
    }
    settle();
    for (ScriptedTransport.Sent sent : List.copyOf(transport.last().sent)) {
      sent.callback().onFailed(busy);
    }
    settle();
    // The eleventh has shown that the hub is out of order.
    time.advance(ofSeconds(2));
    transport.last().ready();
    time.advance(ofSeconds(60));
    assertThat(transport.links).hasSize(2);
    assertThat(transport.last().sent).isEmpty();
    assertThat(outcomes).hasSize(11).allMatch(outcome -> outcome.kind() == Kind.EXPIRED);
    assertThat(outcomes).allMatch(outcome -> outcome.cause() == busy);
  }
}
