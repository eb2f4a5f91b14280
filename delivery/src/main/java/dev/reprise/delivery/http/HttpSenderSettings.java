package dev.reprise.delivery.http;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a sender keeps and makes connections. {@link #DEFAULT} is right for a service; tests and
 * private networks change single values.
 *
 * @param connectionsPerEndpoint how many connections to one address and name there may be, 1 to
 *     65535; high, so that the engine's in-flight limit is the one that holds
 * @param keepAlive how long an idle connection is kept, if the endpoint does not say
 * @param connectTimeout for one TCP connection, and as much again for its TLS handshake, both
 *     within the attempt's timeout
 * @param nativeTls whether BoringSSL or OpenSSL does TLS where it is on the class path
 * @param trustedCertificates a PEM file of certificates to trust instead of the JDK's; null for the
 *     JDK's
 */
public record HttpSenderSettings(
    int connectionsPerEndpoint,
    Duration keepAlive,
    Duration connectTimeout,
    boolean nativeTls,
    @Nullable Path trustedCertificates) {
  /**
   * 1024 connections, 10 s to connect, native TLS, the JDK's certificates. Idle connections are
   * kept for 200 s: a TLS handshake costs as much as 25 requests and more, and load balancers in
   * clouds drop idle connections silently after 230 s and more.
   */
  public static final HttpSenderSettings DEFAULT =
      new HttpSenderSettings(1024, Duration.ofSeconds(200), Duration.ofSeconds(10), true, null);

  /** Checks the ranges. */
  public HttpSenderSettings {
    if (connectionsPerEndpoint < 1 || connectionsPerEndpoint > 65535) {
      throw new IllegalArgumentException(
          "connectionsPerEndpoint " + connectionsPerEndpoint + " must be from 1 to 65535");
    }
    if (keepAlive.toSeconds() < 1) {
      throw new IllegalArgumentException("keepAlive " + keepAlive + " must be at least 1 s");
    }
    if (connectTimeout.toMillis() < 1) {
      throw new IllegalArgumentException(
          "connectTimeout " + connectTimeout + " must be at least 1 ms");
    }
  }

  /** The same with other trusted certificates. */
  public HttpSenderSettings withTrustedCertificates(Path pemFile) {
    return new HttpSenderSettings(
        connectionsPerEndpoint, keepAlive, connectTimeout, nativeTls, pemFile);
  }

  /** The same with the native TLS engine used where there is one, or not at all. */
  public HttpSenderSettings withNativeTls(boolean use) {
    return new HttpSenderSettings(
        connectionsPerEndpoint, keepAlive, connectTimeout, use, trustedCertificates);
  }

  /** The same with another limit for one TCP connection and for its TLS handshake. */
  public HttpSenderSettings withConnectTimeout(Duration timeout) {
    return new HttpSenderSettings(
        connectionsPerEndpoint, keepAlive, timeout, nativeTls, trustedCertificates);
  }
}
