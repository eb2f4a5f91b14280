package dev.reprise.delivery.http;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a sender's connections. {@link #DEFAULT} is right for a service; tests and
 * private networks change single values.
 *
 * @param connections how many connections there may be in all, 1 to 1,000,000; one that nobody uses
 *     gives way to one that is needed
 * @param connectionsPerEndpoint how many of them to one address and name, 1 to 1,000,000
 * @param keepAlive how long an idle connection is kept; less if the endpoint says so
 * @param connectTimeout for one TCP connection, and as much again for its TLS handshake, both
 *     within the attempt's timeout
 * @param nativeTls whether BoringSSL or OpenSSL does TLS where it is on the class path
 * @param trustedCertificates a PEM file of certificates to trust instead of the JDK's; null for the
 *     JDK's
 */
public record HttpSenderSettings(
    int connections,
    int connectionsPerEndpoint,
    Duration keepAlive,
    Duration connectTimeout,
    boolean nativeTls,
    @Nullable Path trustedCertificates) {
  /** Room for the attempts of 16 shards; more would only be idle. */
  private static final long MAX_CONNECTIONS = 65_536;

  /** Of the descriptors, the store and the API need the rest. */
  private static final int SHARE_OF_DESCRIPTORS = 2;

  /** With its buffers and TLS, a connection takes less than a quarter of this. */
  private static final long HEAP_BYTES_EACH = 64 * 1024;

  /**
   * As many connections as half the file descriptors of this process and its heap (64 KB each)
   * allow, 65,536 at most, and half of those to one endpoint; 10 s to connect, native TLS, the
   * JDK's certificates. With 20,000 descriptors and 512 MB that is 8,192 and 4,096, as many as the
   * attempts that a shard may have under way. Idle connections are kept for 200 s: a TLS handshake
   * costs as much as 25 requests and more, and load balancers in clouds drop idle connections
   * silently after 230 s and more.
   */
  public static final HttpSenderSettings DEFAULT = ofThisProcess();

  private static HttpSenderSettings ofThisProcess() {
    long connections =
        Math.min(MAX_CONNECTIONS, Runtime.getRuntime().maxMemory() / HEAP_BYTES_EACH);
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
      connections = Math.min(connections, unix.getMaxFileDescriptorCount() / SHARE_OF_DESCRIPTORS);
    }
    int all = (int) Math.max(64, connections);
    return new HttpSenderSettings(
        all, all / 2, Duration.ofSeconds(200), Duration.ofSeconds(10), true, null);
  }

  /** Checks the ranges. */
  public HttpSenderSettings {
    checkNumber("connections", connections);
    checkNumber("connectionsPerEndpoint", connectionsPerEndpoint);
    if (keepAlive.toSeconds() < 1) {
      throw new IllegalArgumentException("keepAlive " + keepAlive + " must be at least 1 s");
    }
    if (connectTimeout.toMillis() < 1) {
      throw new IllegalArgumentException(
          "connectTimeout " + connectTimeout + " must be at least 1 ms");
    }
  }

  private static void checkNumber(String name, int connections) {
    if (connections < 1 || connections > 1_000_000) {
      throw new IllegalArgumentException(name + " " + connections + " must be from 1 to 1,000,000");
    }
  }

  /** The same with other bounds on the number of connections. */
  public HttpSenderSettings withConnections(int all, int perEndpoint) {
    return new HttpSenderSettings(
        all, perEndpoint, keepAlive, connectTimeout, nativeTls, trustedCertificates);
  }

  /** The same with another time for which idle connections are kept. */
  public HttpSenderSettings withKeepAlive(Duration time) {
    return new HttpSenderSettings(
        connections, connectionsPerEndpoint, time, connectTimeout, nativeTls, trustedCertificates);
  }

  /** The same with other trusted certificates. */
  public HttpSenderSettings withTrustedCertificates(Path pemFile) {
    return new HttpSenderSettings(
        connections, connectionsPerEndpoint, keepAlive, connectTimeout, nativeTls, pemFile);
  }

  /** The same with the native TLS engine used where there is one, or not at all. */
  public HttpSenderSettings withNativeTls(boolean use) {
    return new HttpSenderSettings(
        connections, connectionsPerEndpoint, keepAlive, connectTimeout, use, trustedCertificates);
  }

  /** The same with another limit for one TCP connection and for its TLS handshake. */
  public HttpSenderSettings withConnectTimeout(Duration timeout) {
    return new HttpSenderSettings(
        connections, connectionsPerEndpoint, keepAlive, timeout, nativeTls, trustedCertificates);
  }
}
