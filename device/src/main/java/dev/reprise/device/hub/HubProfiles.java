package dev.reprise.device.hub;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.transport.TlsSettings;
import java.net.URI;
import java.util.Locale;

/**
 * Profiles for servers that are no particular hub, written as one URI.
 *
 * <table>
 * <caption>What a URI says</caption>
 * <tr><td>{@code mqtt mqtts}<td>MQTT over TCP or TLS; port 1883 or 8883
 * <tr><td>{@code ws wss}<td>MQTT through a WebSocket, of the path of the URI or {@code /mqtt}; port
 *     80 or 443
 * <tr><td>{@code amqp amqps}<td>AMQP 1.0 over TCP or TLS; port 5672 or 5671
 * <tr><td>{@code http https}<td>POST to the URI as it is, with {@code Device-Id} as a header
 * <tr><td>{@code user:password@}<td>the credential, percent-encoded; a password is optional
 * <tr><td>{@code ?to=}<td>MQTT and AMQP: where messages are sent to; {@code
 *     devices/<id>/messages} if left out
 * <tr><td>{@code &commands=}<td>MQTT and AMQP: where commands come from; {@code
 *     devices/<id>/commands} if left out, with MQTT all topics below too
 * <tr><td>{@code &version=}<td>MQTT: {@code 3.1.1} or {@code 5}; the newest that the server says it
 *     knows if left out
 * <tr><td>{@code &session=}<td>MQTT: for how many seconds the server keeps commands while the
 *     device is away; 0 if left out
 * <tr><td>{@code &alpn=}<td>{@code mqtts} and {@code wss}: the protocol that is offered in TLS, such
 *     as {@code x-amzn-mqtt-ca} on port 443 of AWS IoT Core
 * <tr><td>{@code &x-…=}<td>{@code ws} and {@code wss}: what begins so, in any case, is part of the
 *     WebSocket's own address, as it stands
 * <tr><td>{@code &host=}<td>AMQP: the virtual host; that of the URI if left out
 * <tr><td>{@code &sasl=}<td>AMQP: the only mechanism to log in with, such as {@code SCRAM-SHA-256}
 * <tr><td>{@code &durable=true}<td>AMQP: what the server makes for the messages is to outlive it
 * </table>
 */
public final class HubProfiles {
  private HubProfiles() {}

  /**
   * Returns the profile that a URI says, encrypted as the JVM trusts where it asks for encryption.
   *
   * @param deviceId the id of the device, which is also its name to the server
   * @throws IllegalArgumentException when the URI has another scheme, no host, or says something
   *     that is not in the table
   */
  public static HubProfile fromUri(URI uri, String deviceId) {
    return fromUri(uri, deviceId, TlsSettings.system());
  }

  /**
   * Returns the profile that a URI says.
   *
   * @param deviceId the id of the device, which is also its name to the server
   * @param tls how {@code mqtts}, {@code wss}, {@code amqps} and {@code https} are encrypted
   * @throws IllegalArgumentException when the URI has another scheme, no host, or says something
   *     that is not in the table
   */
  public static HubProfile fromUri(URI uri, String deviceId, TlsSettings tls) {
    SettingChecks.notEmpty("deviceId", deviceId);
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (uri.getHost() == null) {
      throw new IllegalArgumentException("URI " + withoutSecret(uri) + " has no host: must have");
    }
    // A wildcard would be cut off without a word.
    if (uri.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "URI says #" + uri.getRawFragment() + ": must not; write # as %23 in topics");
    }
    return switch (scheme) {
      case "mqtt" -> PlainMqtt.profile(uri, deviceId, null, false);
      case "mqtts" -> PlainMqtt.profile(uri, deviceId, tls, false);
      case "ws" -> PlainMqtt.profile(uri, deviceId, null, true);
      case "wss" -> PlainMqtt.profile(uri, deviceId, tls, true);
      case "amqp" -> PlainAmqp.profile(uri, deviceId, null);
      case "amqps" -> PlainAmqp.profile(uri, deviceId, tls);
      case "http", "https" -> PlainHttp.profile(uri, deviceId, tls);
      default ->
          throw new InvalidSettingException(
              "scheme", scheme, "must be mqtt, mqtts, ws, wss, amqp, amqps, http or https");
    };
  }

  static CredentialSupplier credentials(URI uri) {
    String userInfo = uri.getRawUserInfo();
    if (userInfo == null) {
      return CredentialSupplier.none();
    }
    int colon = userInfo.indexOf(':');
    return colon < 0
        ? CredentialSupplier.fixed(new Credential(UriQuery.decode(userInfo), null, null))
        : CredentialSupplier.password(
            UriQuery.decode(userInfo.substring(0, colon)),
            UriQuery.decode(userInfo.substring(colon + 1)));
  }

  /** Returns the URI for a message: the user info may hold a password. */
  static String withoutSecret(URI uri) {
    String text = uri.toString();
    String userInfo = uri.getRawUserInfo();
    if (userInfo != null) {
      return text.replace(userInfo + "@", "");
    }
    // Without a host there is no user info either, whatever stands before an @.
    return uri.getHost() == null ? text.replaceFirst("//.*@", "//***@") : text;
  }
}
