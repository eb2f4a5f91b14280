package dev.reprise.device.hub;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.amqp.AmqpSettings;
import dev.reprise.device.transport.amqp.AmqpTransport;
import dev.reprise.device.transport.amqp.SaslMechanism;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Any AMQP 1.0 server. */
final class PlainAmqp {
  private PlainAmqp() {}

  static HubProfile profile(URI uri, String deviceId, @Nullable TlsSettings tls) {
    return new HubProfile(
        "amqp", new AmqpTransport(settings(uri, deviceId, tls)), HubProfiles.credentials(uri));
  }

  static AmqpSettings settings(URI uri, String deviceId, @Nullable TlsSettings tls) {
    UriQuery query = UriQuery.of(uri, List.of("to", "commands", "host", "sasl", "durable"));
    String path = UriQuery.decode(uri.getRawPath());
    if (path.length() > 1) {
      throw new IllegalArgumentException(
          "URI has the path " + path + ": must have none; addresses go into ?to= and &commands=");
    }
    AmqpSettings.Builder settings =
        AmqpSettings.builder(uri.getHost(), query.get("to", "devices/" + deviceId + "/messages"))
            .commandAddress(query.get("commands", "devices/" + deviceId + "/commands"))
            .durableTarget(durable(query.get("durable", "false")))
            .containerId(deviceId);
    query.find("host").ifPresent(settings::virtualHost);
    query.find("sasl").map(SaslMechanism::of).ifPresent(settings::sasl);
    if (tls != null) {
      settings.tls(tls);
    }
    if (uri.getPort() != -1) {
      settings.port(uri.getPort());
    }
    return settings.build();
  }

  private static boolean durable(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new InvalidSettingException("durable", text, "must be true or false");
    };
  }
}
