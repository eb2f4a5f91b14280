package dev.reprise.device.transport.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.device.credential.Credential;
import java.util.Base64;
import java.util.Map;

/**
 * The way in which a request identifies the device. Implementations are thread-safe, have no state,
 * and do not block.
 */
@FunctionalInterface
public interface HttpAuthorization {
  /** Returns the headers that carry a credential; none when it has no secret. */
  Map<String, String> headers(Credential credential);

  /**
   * Returns the usual way: {@code Basic} (RFC 7617) for a user name and a password, {@code Bearer}
   * (RFC 6750) for a token alone.
   */
  static HttpAuthorization standard() {
    return credential -> {
      String username = credential.username();
      String secret = credential.secret();
      if (username != null) {
        byte[] both = (username + ":" + (secret == null ? "" : secret)).getBytes(UTF_8);
        return Map.of("Authorization", "Basic " + Base64.getEncoder().encodeToString(both));
      }
      return secret == null ? Map.of() : Map.of("Authorization", "Bearer " + secret);
    };
  }

  /** Returns {@code Authorization: Bearer} with the secret, whatever the user name. */
  static HttpAuthorization bearer() {
    return credential -> {
      String secret = credential.secret();
      return secret == null ? Map.of() : Map.of("Authorization", "Bearer " + secret);
    };
  }

  /** Returns a header of this name with nothing but the secret. */
  static HttpAuthorization secretIn(String header) {
    return credential -> {
      String secret = credential.secret();
      return secret == null ? Map.of() : Map.of(header, secret);
    };
  }
}
