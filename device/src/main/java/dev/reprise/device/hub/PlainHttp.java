package dev.reprise.device.hub;

import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.http.HttpEncoding;
import dev.reprise.device.transport.http.HttpSettings;
import dev.reprise.device.transport.http.HttpTransport;
import dev.reprise.device.transport.http.PercentEncoding;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/** Any HTTP server that takes messages by POST. */
final class PlainHttp {
  private PlainHttp() {}

  static HubProfile profile(URI uri, String deviceId, TlsSettings tls) {
    return new HubProfile(
        "http", new HttpTransport(settings(uri, deviceId, tls)), HubProfiles.credentials(uri));
  }

  static HttpSettings settings(URI uri, String deviceId, TlsSettings tls) {
    String device = PercentEncoding.visible(deviceId);
    HttpEncoding plain = HttpEncoding.plain();
    // The user name and the password go into a header.
    return HttpSettings.builder(URI.create(HubProfiles.withoutSecret(uri)))
        .tls(tls)
        .encoding(
            message -> {
              HttpEncoding.Content content = plain.encode(message);
              Map<String, String> headers = new LinkedHashMap<>(content.headers());
              headers.put("Device-Id", device);
              return new HttpEncoding.Content(headers, content.body());
            })
        .build();
  }
}
