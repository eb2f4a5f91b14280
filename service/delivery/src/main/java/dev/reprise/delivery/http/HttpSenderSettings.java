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
 * @param connections how many connections there may be in all, 1 to 1,000,000; an unused one gives
 *     way to one that is needed
 * @param connectionsPerEndpoint how many of them to one address and name, 1 to 1,000,000
 * @param keepAlive how long an idle connection is kept; less if the endpoint says so
 * @param connectTimeout for one TCP connection, and as much again for its TLS handshake, both
 *     within the attempt's timeout
 * @param nativeTls whether BoringSSL or OpenSSL does TLS where it is on the class path
 * @param trustedCertificates a PEM file of certificates to trust instead of the JDK's; null for the
 *     JDK's
 * @param maxConnectionAge how long a connection takes new exchanges, 1 ms or more; those under way
 *     then are not cut off. A fifth of it is left to chance, so that connections that were made
 *     together do not end together
 * @param maxHeadBytes how long the head of a response may be, in bytes, {@value #MIN_HEAD_BYTES} to
 *     {@value #MAX_HEAD_BYTES}
 */
public record HttpSenderSettings(
    int connections,
    int connectionsPerEndpoint,
    Duration keepAlive,
    Duration connectTimeout,
    boolean nativeTls,
    @Nullable Path trustedCertificates,
    Duration maxConnectionAge,
    int maxHeadBytes) {
  /** The least limit of the head of a response, in bytes. */
  public static final int MIN_HEAD_BYTES = 1024;

  /** The most: within what an endpoint may send before {@link PooledConnection} cuts it off. */
  public static final int MAX_HEAD_BYTES = 256 * 1024;

  /** Room for the attempts of 16 shards; more would only be idle. */
  private static final long MAX_CONNECTIONS = 65_536;

  /** Of the descriptors, the store and the API need the rest. */
  private static final int SHARE_OF_DESCRIPTORS = 2;

  /** With its buffers and TLS, a connection takes less than a quarter of this. */
  private static final long HEAP_BYTES_EACH = 64 * 1024;

  /**
   * As many connections as half the file descriptors of this process and its heap (64 KB each)
   * allow, 65,536 at most, and half of those to one endpoint; 10 s to connect, native TLS, the
   * JDK's certificates, heads of 64 KB. With 20,000 descriptors and 512 MB that is 8,192 and 4,096,
   * as many as the attempts that a shard may have under way. Idle connections are kept for 200 s: a
   * TLS handshake costs as much as 25 requests and more, and load balancers in clouds drop idle
   * connections silently after 230 s and more. No connection is used for longer than 3 minutes, so
   * that what stands behind a proxy's or a load balancer's address may change.
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
        all,
        all / 2,
        Duration.ofSeconds(200),
        Duration.ofSeconds(10),
        true,
        null,
        Duration.ofMinutes(3),
        64 * 1024);
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
    if (maxConnectionAge.toMillis() < 1) {
      throw new IllegalArgumentException(
          "maxConnectionAge " + maxConnectionAge + " must be at least 1 ms");
    }
    if (maxHeadBytes < MIN_HEAD_BYTES || maxHeadBytes > MAX_HEAD_BYTES) {
      throw new IllegalArgumentException(
          "maxHeadBytes "
              + maxHeadBytes
              + " must be from "
              + MIN_HEAD_BYTES
              + " to "
              + MAX_HEAD_BYTES);
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
        all,
        perEndpoint,
        keepAlive,
        connectTimeout,
        nativeTls,
        trustedCertificates,
        maxConnectionAge,
        maxHeadBytes);
  }

  /** The same with another time for which idle connections are kept. */
  public HttpSenderSettings withKeepAlive(Duration time) {
    return new HttpSenderSettings(
        connections,
        connectionsPerEndpoint,
        time,
        connectTimeout,
        nativeTls,
        trustedCertificates,
        maxConnectionAge,
        maxHeadBytes);
  }

  /** The same with other trusted certificates. */
  public HttpSenderSettings withTrustedCertificates(Path pemFile) {
    return new HttpSenderSettings(
        connections,
        connectionsPerEndpoint,
        keepAlive,
        connectTimeout,
        nativeTls,
        pemFile,
        maxConnectionAge,
        maxHeadBytes);
  }

  /** The same with the native TLS engine used where there is one, or not at all. */
  public HttpSenderSettings withNativeTls(boolean use) {
    return new HttpSenderSettings(
        connections,
        connectionsPerEndpoint,
        keepAlive,
        connectTimeout,
        use,
        trustedCertificates,
        maxConnectionAge,
        maxHeadBytes);
  }

  /** The same with another limit for one TCP connection and for its TLS handshake. */
  public HttpSenderSettings withConnectTimeout(Duration timeout) {
    return new HttpSenderSettings(
        connections,
        connectionsPerEndpoint,
        keepAlive,
        timeout,
        nativeTls,
        trustedCertificates,
        maxConnectionAge,
        maxHeadBytes);
  }

  /** The same with another time for which connections take new exchanges. */
  public HttpSenderSettings withMaxConnectionAge(Duration age) {
    return new HttpSenderSettings(
        connections,
        connectionsPerEndpoint,
        keepAlive,
        connectTimeout,
        nativeTls,
        trustedCertificates,
        age,
        maxHeadBytes);
  }

  /** The same with another limit for the head of a response. */
  public HttpSenderSettings withMaxHeadBytes(int bytes) {
    return new HttpSenderSettings(
        connections,
        connectionsPerEndpoint,
        keepAlive,
        connectTimeout,
        nativeTls,
        trustedCertificates,
        maxConnectionAge,
        bytes);
  }
}
