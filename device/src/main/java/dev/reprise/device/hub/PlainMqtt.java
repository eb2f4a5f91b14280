package dev.reprise.device.hub;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.mqtt.MqttSettings;
import dev.reprise.device.transport.mqtt.MqttTransport;
import dev.reprise.device.transport.mqtt.MqttVersion;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Any MQTT server. */
final class PlainMqtt {
  /** The beginning of names in the query of a WebSocket that are for the server. */
  private static final String SERVERS = "x-";

  private PlainMqtt() {}

  static HubProfile profile(
      URI uri, String deviceId, @Nullable TlsSettings tls, boolean webSocket) {
    return new HubProfile(
        "mqtt",
        new MqttTransport(settings(uri, deviceId, tls, webSocket)),
        HubProfiles.credentials(uri));
  }

  static MqttSettings settings(
      URI uri, String deviceId, @Nullable TlsSettings tls, boolean webSocket) {
    List<String> known =
        tls == null
            ? List.of("to", "commands", "version", "session")
            : List.of("to", "commands", "version", "session", "alpn");
    // A WebSocket has a query of its own, such as the name of an authorizer or a signature.
    UriQuery query =
        UriQuery.of(uri, known, name -> webSocket && name.regionMatches(true, 0, SERVERS, 0, 2));
    MqttSettings.Builder settings =
        MqttSettings.builder(uri.getHost())
            .version(version(query.get("version", "")))
            .clientId(deviceId)
            .sessionExpiry(session(query.get("session", "0")))
            .topic(query.get("to", "devices/" + deviceId + "/messages"))
            .commands(query.get("commands", "devices/" + deviceId + "/commands/#"));
    String path = UriQuery.decode(uri.getRawPath());
    if (webSocket) {
      settings
          .webSocketPath(path.length() > 1 ? path.substring(1) : "mqtt")
          .webSocketQuery(query.ofServer());
    } else if (path.length() > 1) {
      throw new IllegalArgumentException(
          "URI has the path " + path + ": must have none; topics go into ?to= and &commands=");
    }
    if (tls != null) {
      settings.tls(tls);
      query.find("alpn").ifPresent(settings::alpn);
    }
    if (uri.getPort() != -1) {
      settings.port(uri.getPort());
    }
    return settings.build();
  }

  private static Duration session(String seconds) {
    try {
      return Duration.ofSeconds(Long.parseLong(seconds));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "session is " + seconds + ": must be a number of seconds", e);
    }
  }

  private static MqttVersion version(String version) {
    return switch (version) {
      case "" -> MqttVersion.AUTO;
      case "3.1.1" -> MqttVersion.MQTT_3_1_1;
      case "5" -> MqttVersion.MQTT_5;
      default -> throw new InvalidSettingException("version", version, "must be 3.1.1 or 5");
    };
  }
}
