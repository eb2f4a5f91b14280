package dev.reprise.device;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.testkit.SeededRandom;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The client at a hub that follows a rule, in virtual time. */
abstract class RuledDevice {
  final VirtualTime time = new VirtualTime();
  final List<MessageOutcome> outcomes = new ArrayList<>();
  RuledHub hub = new RuledHub(time, 64, ofMillis(5));

  DeviceClient open(UnaryOperator<DeviceClientBuilder> settings) throws IOException {
    DeviceClientBuilder builder =
        DeviceClient.builder(new HubProfile("test", hub, CredentialSupplier.none()))
            .time(time, time.executor())
            .callbackExecutor(time.executor())
            .random(SeededRandom.of(1))
            .onOutcome(outcomes::add);
    DeviceClient client = settings.apply(builder).build();
    client.open();
    time.advance(ofSeconds(1));
    return client;
  }

  static void enqueue(DeviceClient client, String name, int messages) {
    for (int i = 0; i < messages; i++) {
      client.enqueue(Message.builder().id(name + "-" + i).build());
    }
  }

  static void enqueueLarge(DeviceClient client, String name, int messages) {
    for (int i = 0; i < messages; i++) {
      client.enqueue(Message.builder().id(name + "-" + i).body(new byte[5_000]).build());
    }
  }

  void closeInVirtualTime(DeviceClient client) {
    // The loop only runs when time is moved, which is not while close() waits.
    Thread.currentThread().interrupt();
    client.close();
    assertThat(Thread.interrupted()).isTrue();
    time.advance(ofSeconds(1));
  }

  void refuse(String name, TransportException refusal) {
    hub.rule = id -> id.startsWith(name) ? refusal : null;
  }

  List<MessageOutcome> of(String name) {
    return outcomes.stream().filter(outcome -> outcome.messageId().startsWith(name)).toList();
  }

  void assertAllTakenOnce(String name, int messages) {
    assertThat(of(name)).hasSize(messages).allMatch(MessageOutcome::isAcknowledged);
    assertThat(hub.arrived.entrySet())
        .filteredOn(each -> each.getKey().startsWith(name))
        .hasSize(messages)
        .allMatch(each -> each.getValue() == 1);
  }
}
