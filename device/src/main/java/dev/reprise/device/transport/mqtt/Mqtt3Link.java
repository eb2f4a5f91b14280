package dev.reprise.device.transport.mqtt;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt3.message.auth.Mqtt3SimpleAuth;
import com.hivemq.client.mqtt.mqtt3.message.connect.Mqtt3Connect;
import com.hivemq.client.mqtt.mqtt3.message.connect.Mqtt3ConnectBuilder;
import com.hivemq.client.mqtt.mqtt3.message.publish.Mqtt3Publish;
import com.hivemq.client.mqtt.mqtt3.message.subscribe.Mqtt3Subscribe;
import com.hivemq.client.mqtt.mqtt3.message.subscribe.Mqtt3Subscription;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A link that speaks MQTT 3.1.1. It can carry a body and a topic, and nothing else. */
final class Mqtt3Link implements MqttLink {
  private final MqttSettings settings;
  private final Mqtt3AsyncClient client;

  Mqtt3Link(MqttSettings settings, InetSocketAddress address, Events events) {
    this.settings = settings;
    client =
        MqttLink.configured(Mqtt3Client.builder(), settings, address, events)
            .addConnectedListener(context -> events.onUp(settings.sendMaximum()))
            .buildAsync();
    // Before it connects: commands may come right behind the answer.
    client.publishes(MqttGlobalPublishFilter.ALL, publish -> received(publish, events), true);
  }

  @Override
  public void connect(Credential credential) {
    Mqtt3ConnectBuilder connect =
        Mqtt3Connect.builder()
            .cleanSession(settings.sessionExpiry().isZero())
            .keepAlive((int) settings.keepAlive().toSeconds())
            .restrictions()
            .sendMaximum(settings.sendMaximum())
            .applyRestrictions();
    String username = credential.username();
    String secret = credential.secret();
    if (secret != null) {
      // MQTT 3.1.1 has no password without a user name.
      connect =
          connect.simpleAuth(
              Mqtt3SimpleAuth.builder()
                  .username(username == null ? "" : username)
                  .password(secret.getBytes(UTF_8))
                  .build());
    } else if (username != null) {
      connect = connect.simpleAuth(Mqtt3SimpleAuth.builder().username(username).build());
    }
    var unused = client.connect(connect.build());
  }

  @Override
  public CompletableFuture<?> publish(Message message) {
    return client.publish(
        Mqtt3Publish.builder()
            .topic(settings.topic().of(message))
            .qos(MqttQos.AT_LEAST_ONCE)
            .payload(message.body())
            .build());
  }

  @Override
  public CompletableFuture<?> subscribe() {
    return client.subscribe(
        Mqtt3Subscribe.builder()
            .addSubscriptions(
                settings.commandTopics().stream()
                    .map(
                        filter ->
                            Mqtt3Subscription.builder()
                                .topicFilter(filter)
                                .qos(MqttQos.AT_LEAST_ONCE)
                                .build()))
            .build());
  }

  @Override
  public void disconnect() {
    var unused = client.disconnect();
  }

  private static void received(Mqtt3Publish publish, Events events) {
    AtomicBoolean replied = new AtomicBoolean();
    events.onCommand(
        new Command(publish.getTopic().toString(), "", publish.getPayloadAsBytes(), Map.of()),
        handled -> {
          // 3.1.1 cannot say "failed". Without an acknowledgement the server would stop sending.
          if (replied.compareAndSet(false, true)) {
            publish.acknowledge();
          }
        });
  }
}
