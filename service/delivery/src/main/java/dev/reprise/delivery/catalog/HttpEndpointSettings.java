package dev.reprise.delivery.catalog;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a subscription whose endpoint is a URL: headers, login, TLS, signatures. Absent
 * texts are null.
 *
 * @param headers sent with every attempt
 * @param username of Basic authentication (RFC 7617)
 * @param password of Basic authentication
 * @param token a bearer token (RFC 6750)
 * @param tokenUrl where an access token is fetched (OAuth 2.0 client credentials, RFC 6749, section
 *     4.4)
 * @param clientId for the token's URL
 * @param clientSecret for the token's URL
 * @param scope for the token's URL
 * @param tokenParameters further fields of the form for the token's URL, such as {@code audience}
 * @param tokenAuthentication the way in which the token's URL gets the secret; null for {@link
 *     TokenAuthentication#CLIENT_SECRET_BASIC}
 * @param certificate PEM, shown to an endpoint that asks for one (mutual TLS)
 * @param privateKey of the certificate, PEM: PKCS #8, PKCS #1 or SEC 1
 * @param authority PEM, trusted instead of the public authorities
 * @param signingSecret signs every attempt (Standard Webhooks)
 * @param oldSigningSecret signs as well, until {@code oldSigningUntil}
 * @param oldSigningUntil when the old secret ends
 * @param handshake whether the endpoint must allow deliveries by {@code OPTIONS} first
 *     (CloudEvents, HTTP 1.1 Web Hooks, section 4)
 */
public record HttpEndpointSettings(
    Map<String, String> headers,
    @Nullable String username,
    @Nullable SealedSecret password,
    @Nullable SealedSecret token,
    @Nullable String tokenUrl,
    @Nullable String clientId,
    @Nullable SealedSecret clientSecret,
    @Nullable String scope,
    @Nullable Map<String, String> tokenParameters,
    @Nullable TokenAuthentication tokenAuthentication,
    @Nullable String certificate,
    @Nullable SealedSecret privateKey,
    @Nullable String authority,
    @Nullable SealedSecret signingSecret,
    @Nullable SealedSecret oldSigningSecret,
    @Nullable Instant oldSigningUntil,
    boolean handshake) {
  /** Nothing of all that. */
  public static final HttpEndpointSettings NONE =
      new HttpEndpointSettings(
          Map.of(), null, null, null, null, null, null, null, null, null, null, null, null, null,
          null, null, false);

  /** Copies the headers and the parameters. */
  public HttpEndpointSettings {
    headers = Map.copyOf(headers);
    tokenParameters = tokenParameters == null ? null : Map.copyOf(tokenParameters);
  }

  /** Whether there is a secret, which must not follow the subscription to another host. */
  public boolean hasSecrets() {
    return password != null
        || token != null
        || clientSecret != null
        || privateKey != null
        || signingSecret != null
        || !headers.isEmpty();
  }

  /** The same with other secrets to sign with. */
  HttpEndpointSettings withSigning(
      @Nullable SealedSecret current, @Nullable SealedSecret old, @Nullable Instant oldUntil) {
    return new HttpEndpointSettings(
        headers,
        username,
        password,
        token,
        tokenUrl,
        clientId,
        clientSecret,
        scope,
        tokenParameters,
        tokenAuthentication,
        certificate,
        privateKey,
        authority,
        current,
        old,
        oldUntil,
        handshake);
  }
}
