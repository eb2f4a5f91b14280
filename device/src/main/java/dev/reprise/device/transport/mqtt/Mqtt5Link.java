package dev.reprise.device.transport.mqtt;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hivemq.client.internal.mqtt.MqttClientConnectionConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.lifecycle.MqttClientConnectedContext;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperties;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserPropertiesBuilder;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperty;
import com.hivemq.client.mqtt.mqtt5.lifecycle.Mqtt5ClientConnectedContext;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5SimpleAuth;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5SimpleAuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5ConnectBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckRestrictions;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishBuilder;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5Subscribe;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5Subscription;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A link that speaks MQTT 5. The id of a message is the user property {@code message-id}; its other
 * properties are user properties under their own names.
 */
final class Mqtt5Link implements MqttLink {
  private static final String MESSAGE_ID = "message-id";

  /** The longest that MQTT can say: 136 years. A longer time is no limit. */
  private static final long MAX_EXPIRY_SECONDS = 0xFFFF_FFFFL;

  private final MqttSettings settings;
  private final Events events;
  private final Mqtt5AsyncClient client;

  /**
   * The topic objects of the commands that failed and are not answered yet. Each command that is
   * read has an object of its own, which is all that its answer knows it by.
   */
  private final Set<Object> failedCommands =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>(0)));

  Mqtt5Link(MqttSettings settings, InetSocketAddress address, Events events) {
    this.settings = settings;
    this.events = events;
    client =
        MqttLink.configured(Mqtt5Client.builder(), settings, address, events)
            .addConnectedListener(this::connected)
            .advancedConfig()
            .interceptors()
            .incomingQos1Interceptor(
                (config, publish, answer) -> {
                  if (failedCommands.remove(publish.getTopic())) {
                    answer.reasonCode(Mqtt5PubAckReasonCode.UNSPECIFIED_ERROR);
                  }
                })
            .applyInterceptors()
            .applyAdvancedConfig()
            .buildAsync();
    // Before it connects: commands may come right behind the answer.
    client.publishes(MqttGlobalPublishFilter.ALL, this::received, true);
  }

  @Override
  public void connect(Credential credential) {
    Mqtt5ConnectBuilder connect =
        Mqtt5Connect.builder()
            .cleanStart(settings.sessionExpiry().isZero())
            .sessionExpiryInterval(settings.sessionExpiry().toSeconds())
            .keepAlive((int) settings.keepAlive().toSeconds())
            .restrictions()
            .receiveMaximum(settings.receiveMaximum())
            .sendMaximum(settings.sendMaximum())
            // An alias is taken for known to the server even if the message that was to tell it
            // turned out too large to be sent.
            .sendTopicAliasMaximum(0)
            .applyRestrictions();
    String username = credential.username();
    String secret = credential.secret();
    if (secret != null) {
      Mqtt5SimpleAuthBuilder.Complete auth =
          Mqtt5SimpleAuth.builder().password(secret.getBytes(UTF_8));
      connect = connect.simpleAuth((username == null ? auth : auth.username(username)).build());
    } else if (username != null) {
      connect = connect.simpleAuth(Mqtt5SimpleAuth.builder().username(username).build());
    }
    var unused = client.connect(connect.build());
  }

  private void connected(MqttClientConnectedContext context) {
    // The library would keep the messages under way for as long as the server keeps the session,
    // after the connection is gone. They are kept by who sent them.
    client
        .getConfig()
        .getConnectionConfig()
        .ifPresent(config -> ((MqttClientConnectionConfig) config).setSessionExpiryInterval(0));
    Mqtt5ConnAckRestrictions granted =
        ((Mqtt5ClientConnectedContext) context).getConnAck().getRestrictions();
    // Nothing may be sent with a QoS above the server's (MQTT 5, section 3.2.2.3.4).
    if (granted.getMaximumQos() == MqttQos.AT_MOST_ONCE) {
      events.onUseless(MqttErrors.qosNotSupported());
      return;
    }
    events.onUp(Math.min(granted.getReceiveMaximum(), settings.sendMaximum()));
  }

  @Override
  public CompletableFuture<?> publish(Message message) {
    Mqtt5UserPropertiesBuilder properties =
        Mqtt5UserProperties.builder().add(MESSAGE_ID, message.id());
    for (Map.Entry<String, String> property : message.properties().entrySet()) {
      properties = properties.add(property.getKey(), property.getValue());
    }
    Mqtt5PublishBuilder.Complete publish =
        Mqtt5Publish.builder()
            .topic(settings.topic().of(message))
            .qos(MqttQos.AT_LEAST_ONCE)
            .payload(message.body())
            .contentType(message.contentType())
            .userProperties(properties.build());
    OptionalLong expirySeconds = expirySeconds(message.timeToLive());
    if (expirySeconds.isPresent()) {
      publish = publish.messageExpiryInterval(expirySeconds.getAsLong());
    }
    return client.publish(publish.build());
  }

  /** Rounds up, for an interval of 0 would say that the message has expired already. */
  static OptionalLong expirySeconds(@Nullable Duration timeToLive) {
    if (timeToLive == null) {
      return OptionalLong.empty();
    }
    long seconds = timeToLive.getSeconds() + (timeToLive.getNano() > 0 ? 1 : 0);
    return seconds > MAX_EXPIRY_SECONDS ? OptionalLong.empty() : OptionalLong.of(seconds);
  }

  @Override
  public CompletableFuture<?> subscribe() {
    return client.subscribe(
        Mqtt5Subscribe.builder()
            .addSubscriptions(
                settings.commandTopics().stream()
                    .map(
                        filter ->
                            Mqtt5Subscription.builder()
                                .topicFilter(filter)
                                .qos(MqttQos.AT_LEAST_ONCE)
                                .build()))
            .build());
  }

  @Override
  public void disconnect() {
    var unused = client.disconnect();
  }

  private void received(Mqtt5Publish publish) {
    String id = "";
    Map<String, String> properties = new LinkedHashMap<>();
    for (Mqtt5UserProperty property : publish.getUserProperties().asList()) {
      String name = property.getName().toString();
      if (name.equals(MESSAGE_ID)) {
        id = property.getValue().toString();
      } else {
        properties.put(name, property.getValue().toString());
      }
    }
    AtomicBoolean replied = new AtomicBoolean();
    events.onCommand(
        new Command(publish.getTopic().toString(), id, publish.getPayloadAsBytes(), properties),
        handled -> {
          if (replied.compareAndSet(false, true)) {
            answer(publish, handled);
          }
        });
  }

  /**
   * A command that failed is answered with an error too. MQTT sends no message again on the same
   * connection; without an answer it would only use up, for good, one of the commands that the
   * server may have under way, and hold back the answers to all that came after it.
   */
  private void answer(Mqtt5Publish publish, boolean handled) {
    if (!handled && publish.getQos() == MqttQos.AT_LEAST_ONCE) {
      failedCommands.add(publish.getTopic());
    }
    publish.acknowledge();
  }
}
