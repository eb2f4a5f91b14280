package dev.reprise.device;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.queue.MessageQueues;
import dev.reprise.device.queue.QueueSettings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A place that becomes free while the disk is written, with an outcome that nobody has seen. */
class FreedPlaceTest extends ScriptedDevice {
  private final TransportException askedForTime =
      DeviceErrors.exception(details("http", "503").withRetryAfter(ofSeconds(1)));

  private FailingDisk disk;

  private DeviceClient connectedOnDisk() throws Exception {
    disk = new FailingDisk(MessageQueues.open(QueueSettings.defaults()));
    DeviceClient client =
        new DeviceClient(
            new ClientSettings(
                DeviceClient.builder(new HubProfile("test", transport, credentials, hubPolicy))
                    .time(time, time.executor())
                    .callbackExecutor(time.executor())
                    .onOutcome(outcomes::add)),
            disk);
    client.open();
    settle();
    transport.last().ready();
    settle();
    transport.last().capacity = 1;
    return client;
  }

  /** Enqueues more, and ends the first message while these are written. */
  private void endsInTheMiddleOfATurn(DeviceClient client, int others, Runnable outcome) {
    client.enqueue(Message.builder().id("a").build());
    settle();
    assertThat(transport.last().sentIds()).containsExactly("a");
    disk.onSync =
        () -> {
          disk.onSync = () -> {};
          outcome.run();
          transport.last().capacity = 1;
          transport.last().listener.onWritable();
        };
    for (int i = 0; i < others; i++) {
      client.enqueue(Message.builder().id("b" + i).build());
    }
    settle();
  }

  /** The turn that follows may begin with more than it does at once. */
  @ParameterizedTest
  @ValueSource(ints = {1, 1_000})
  void noMessageIsSentBeforeTheTimeThatTheHubAskedFor(int others) throws Exception {
    DeviceClient client = connectedOnDisk();
    endsInTheMiddleOfATurn(
        client, others, () -> transport.last().sent.get(0).callback().onFailed(askedForTime));
    assertThat(transport.last().sentIds()).containsExactly("a");
    time.advance(ofMillis(999));
    assertThat(transport.last().sentIds()).containsExactly("a");
    time.advance(ofMillis(1));
    assertThat(transport.last().sentIds()).containsExactly("a", "a");
  }

  @Test
  void theNextOneIsSentWhenTheOutcomeWasSeen() throws Exception {
    DeviceClient client = connectedOnDisk();
    endsInTheMiddleOfATurn(client, 3, () -> transport.last().acknowledge(0));
    assertThat(transport.last().sentIds()).isEqualTo(List.of("a", "b0"));
  }
}
