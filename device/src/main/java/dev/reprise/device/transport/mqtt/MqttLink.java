package dev.reprise.device.transport.mqtt;

import com.hivemq.client.mqtt.MqttClientBuilderBase;
import com.hivemq.client.mqtt.MqttClientExecutorConfig;
import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfigBuilder;
import com.hivemq.client.mqtt.MqttWebSocketConfig;
import com.hivemq.client.mqtt.lifecycle.MqttDisconnectSource;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.CommandReply;
import dev.reprise.device.transport.TlsSettings;
import io.reactivex.schedulers.Schedulers;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One connection, or the attempt to make one, in one version of MQTT. It is a client object of the
 * library that is used once, so that nothing outlives the connection inside the library.
 */
interface MqttLink {
  /** Receives the events of the link, always from the event loop of the link. */
  interface Events {
    /** The server has accepted, and allows so many messages under way. */
    void onUp(int maxInFlight);

    /** The server has accepted the device, which cannot work with what it offers. */
    void onUseless(TransportException cause);

    /** Called when the attempt failed or the link is down, on whichever side it ended. */
    void onDown(Throwable cause, MqttDisconnectSource source);

    /** A command has arrived. */
    void onCommand(Command command, CommandReply reply);
  }

  /** Begins to connect; the events report the result. To be called once. */
  void connect(Credential credential);

  /**
   * Publishes a message with QoS 1. The future is completed by the event loop, or by the caller
   * when the link is already down.
   *
   * @throws IllegalArgumentException when MQTT has no way to say this message
   */
  CompletableFuture<?> publish(Message message);

  /** Subscribes to the command topics. The future is completed by the event loop. */
  CompletableFuture<?> subscribe();

  /** Says good-bye and ends the link. Does nothing when it is not up. */
  void disconnect();

  /** Sets what both versions have in common. */
  static <B extends MqttClientBuilderBase<B>> B configured(
      B builder, MqttSettings settings, InetSocketAddress address, Events events) {
    return builder
        .identifier(settings.clientId())
        .transportConfig(transportOf(settings, address))
        .executorConfig(
            MqttClientExecutorConfig.builder()
                .nettyExecutor(MqttEventLoops.SHARED)
                // The library's default is a hop to another pool for each outcome.
                .applicationScheduler(Schedulers.trampoline())
                .build())
        .addDisconnectedListener(context -> events.onDown(context.getCause(), context.getSource()));
  }

  private static MqttClientTransportConfig transportOf(
      MqttSettings settings, InetSocketAddress address) {
    // The client ends an attempt that takes too long. These timeouts end the rest. They are
    // generous, for a handshake over a slow link may well take longer than the library's 10 s.
    long limitSeconds = 60;
    MqttClientTransportConfigBuilder builder =
        MqttClientTransportConfig.builder()
            .serverAddress(address)
            .socketConnectTimeout(limitSeconds, TimeUnit.SECONDS)
            .mqttConnectTimeout(limitSeconds, TimeUnit.SECONDS);
    TlsSettings tls = settings.tls();
    if (tls != null) {
      builder =
          builder.sslConfig(
              MqttClientSslConfig.builder()
                  .keyManagerFactory(tls.keys())
                  .trustManagerFactory(tls.trust())
                  .handshakeTimeout(limitSeconds, TimeUnit.SECONDS)
                  .build());
    }
    String path = settings.webSocketPath();
    if (path != null) {
      builder =
          builder.webSocketConfig(
              MqttWebSocketConfig.builder()
                  .serverPath(path.startsWith("/") ? path.substring(1) : path)
                  .queryString(settings.webSocketQuery())
                  .httpHeaders(settings.webSocketHeaders())
                  .handshakeTimeout(limitSeconds, TimeUnit.SECONDS)
                  .build());
    }
    return builder.build();
  }
}
