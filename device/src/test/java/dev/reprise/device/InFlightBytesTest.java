package dev.reprise.device;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.message.Message;
import dev.reprise.device.queue.QueueSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The size of what is under way has a bound. */
class InFlightBytesTest extends ScriptedDevice {
  private static Message message(String id, int bytes) {
    Message empty = Message.builder().id(id).build();
    return Message.builder().id(id).body(new byte[bytes - empty.sizeBytes()]).build();
  }

  private void enqueue(DeviceClient client, String id, int bytes) {
    client.enqueue(message(id, bytes));
    settle();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noMoreBytesAreUnderWayAndALargeOneGoesAlone(boolean onDisk, @TempDir Path folder)
      throws Exception {
    QueueSettings queue = QueueSettings.defaults();
    DeviceClient client =
        connected(
            builder ->
                builder.maxInFlightBytes(1_000).queue(onDisk ? queue.inFolder(folder) : queue));
    enqueue(client, "a", 400);
    enqueue(client, "b", 600);
    enqueue(client, "c", 100);
    enqueue(client, "large", 5_000);
    enqueue(client, "d", 100);
    assertThat(transport.last().sentIds()).containsExactly("a", "b");
    transport.last().acknowledge(1);
    settle();
    // The order is kept: "d" would fit.
    assertThat(transport.last().sentIds()).containsExactly("a", "b", "c");
    transport.last().acknowledge(0);
    settle();
    assertThat(transport.last().sent).hasSize(3);
    transport.last().acknowledge(2);
    settle();
    assertThat(transport.last().sentIds()).containsExactly("a", "b", "c", "large");
    transport.last().acknowledge(3);
    settle();
    assertThat(transport.last().sentIds()).containsExactly("a", "b", "c", "large", "d");
    transport.last().acknowledge(4);
    settle();
    assertThat(client.counters().acknowledged()).isEqualTo(5);
    close(client);
  }

  @Test
  void itHoldsAfterALossAndForThoseThatWaitToBeSentAgain() throws Exception {
    DeviceClient client = connected(builder -> builder.maxInFlightBytes(1_000));
    for (int i = 0; i < 10; i++) {
      enqueue(client, "m" + i, 400);
    }
    assertThat(transport.last().sent).hasSize(2);
    transport.last().sent.get(0).callback().onFailed(busy);
    settle();
    assertThat(transport.last().sent).hasSize(2);
    transport.last().lose(lost);
    time.advance(ofSeconds(1));
    transport.last().ready();
    time.advance(ofSeconds(1));
    assertThat(transport.last().sentIds()).containsExactly("m0", "m1");
  }

  @Test
  void aLargeOneThatIsRefusedForEverStopsNoOther() throws Exception {
    DeviceClient client = connected(builder -> builder.maxInFlightBytes(1_000));
    enqueue(client, "large", 5_000);
    for (int i = 0; i < 12; i++) {
      transport.last().sent.get(i).callback().onFailed(busy);
      time.advance(ofSeconds(10));
    }
    transport.last().sent.get(12).callback().onFailed(busy);
    settle();
    enqueue(client, "a", 400);
    enqueue(client, "b", 400);
    assertThat(transport.last().sentIds().subList(13, 15)).containsExactly("a", "b");
  }

  @Test
  void aBoundThatLetsNothingThroughIsRefusedByName() {
    assertThatThrownBy(() -> client(builder -> builder.maxInFlightBytes(0)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("maxInFlightBytes")
        .hasMessageContaining("must be >= 1");
  }
}
