package dev.reprise.bench.device;

import com.hivemq.client.mqtt.MqttClientExecutorConfig;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperties;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import io.reactivex.schedulers.Schedulers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The HiveMQ client without anything around it. It sends the same packets as ours: with an id, as
 * whoever sends at least once must.
 */
final class BareMqtt implements Publisher {
  /** Makes ids as long as a UUID. */
  private static final String ID_PREFIX = "00000000-0000-0000-0000";

  private static final long FIRST_ID = 1_000_000_000_000L;

  private final Mqtt5AsyncClient client;
  private final String topic;
  private long nextId = FIRST_ID;

  BareMqtt(String clientId, int port, String topic, int window) {
    this.topic = topic;
    client =
        Mqtt5Client.builder()
            .identifier(clientId)
            .serverHost("127.0.0.1")
            .serverPort(port)
            // Its fastest: outcomes are told by the event loop, without a hop to another pool.
            .executorConfig(
                MqttClientExecutorConfig.builder()
                    .applicationScheduler(Schedulers.trampoline())
                    .build())
            .buildAsync();
    var unused =
        client
            .connectWith()
            .keepAlive(60)
            .restrictions()
            .sendMaximum(window)
            .applyRestrictions()
            .send()
            .join();
  }

  @Override
  public CompletionStage<?> send(byte[] body) {
    CompletableFuture<Mqtt5PublishResult> published =
        client.publish(
            Mqtt5Publish.builder()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload(body)
                .userProperties(
                    Mqtt5UserProperties.builder().add("message-id", ID_PREFIX + nextId++).build())
                .build());
    return published;
  }

  @Override
  public void close() {
    client.disconnect().join();
  }
}
