package dev.reprise.server.serve;

import dev.reprise.server.access.AuditSettings;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the API server: connections, shutdown and TLS.
 *
 * @param maxConnections the most connections, up to a million; 0 for as many as the limit of open
 *     files bears well
 * @param drain how long a stop goes on serving while it already says that it is not ready, up to
 *     ten minutes
 * @param tlsCertificate a PEM file with the certificate of this service and those that lead to its
 *     authority; null for HTTP without TLS
 * @param tlsKey a PEM file with the certificate's private key; null without TLS
 * @param audit the bounds of the audit log
 * @param nodeAuthority a PEM file with the authorities of the certificates of the cluster's other
 *     nodes; null for those that Java trusts
 */
public record ApiSettings(
    int maxConnections,
    Duration drain,
    @Nullable Path tlsCertificate,
    @Nullable Path tlsKey,
    AuditSettings audit,
    @Nullable Path nodeAuthority) {
  /** The default: the most connections, no drain, no TLS. */
  public static final ApiSettings DEFAULT = new ApiSettings(0, Duration.ZERO, null, null);

  /** Settings with the usual audit log. */
  public ApiSettings(
      int maxConnections, Duration drain, @Nullable Path tlsCertificate, @Nullable Path tlsKey) {
    this(maxConnections, drain, tlsCertificate, tlsKey, AuditSettings.DEFAULT);
  }

  /** Settings of a service that is no node of a cluster, or trusts the usual authorities. */
  public ApiSettings(
      int maxConnections,
      Duration drain,
      @Nullable Path tlsCertificate,
      @Nullable Path tlsKey,
      AuditSettings audit) {
    this(maxConnections, drain, tlsCertificate, tlsKey, audit, null);
  }

  /** Checks the ranges. */
  public ApiSettings {
    ServeSettings.check(
        maxConnections >= 0 && maxConnections <= 1_000_000,
        "max-connections",
        maxConnections,
        "must be between 1 and 1000000, or 0");
    ServeSettings.check(
        !drain.isNegative() && drain.compareTo(Duration.ofMinutes(10)) <= 0,
        "drain",
        drain,
        "must be between 0s and 10m");
    ServeSettings.check(
        tlsCertificate == null || tlsKey != null,
        "tls-key",
        "absent",
        "must be given with tls-certificate");
    ServeSettings.check(
        tlsKey == null || tlsCertificate != null,
        "tls-certificate",
        "absent",
        "must be given with tls-key");
  }

  /** Returns true if clients speak TLS. */
  public boolean tls() {
    return tlsCertificate != null;
  }
}
