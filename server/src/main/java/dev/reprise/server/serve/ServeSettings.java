package dev.reprise.server.serve;

import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.attempt.HttpAttempts;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.http.HttpSenderSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a service.
 *
 * @param data the folder with all data; created if it does not exist
 * @param host the address to listen on, such as {@code 127.0.0.1}
 * @param port the port to listen on, 0 to 65535; 0 for any that is free
 * @param dev whether endpoints on this machine are allowed and the API needs no key; only with a
 *     host that is loopback
 * @param allow addresses that endpoints may have although they are not public: single ones or
 *     blocks such as {@code 10.20.0.0/16}
 * @param shards how many shards a new data folder gets, 1 to 1,024; 0 for one per two processors
 * @param history how long the history of a delivery is kept after it has ended
 * @param attemptTimeout how long one attempt may take, 100 ms to ten minutes
 * @param grace how long a stop waits for attempts under way
 * @param api the settings of the API
 * @param historyBytes how many bytes of history are kept at the most; 0 for a tenth of the disk, at
 *     most 4 GiB
 * @param deadLetterRetention how long a dead letter is kept; 0 for ever
 * @param deadLetterBytes how many bytes of dead letters are kept at the most; 0 for no bound
 * @param storeBytes how many bytes the store may take before publishes are refused; 0 for no bound
 * @param secretKeys the file with the keys under which secrets are encrypted; null for none, or for
 *     those in the environment
 * @param cluster the cluster that this is a node of; null for none. The data folder then has copies
 *     of what the cluster has, and the bounds above hold for each node
 * @param endpoints the settings of the connections to endpoints
 * @param holdAfter how many deliveries of a subscription, a host or a carrier may be refused for
 *     good one after the other with the same code before the rest waits; 0 for any number
 */
public record ServeSettings(
    Path data,
    String host,
    int port,
    boolean dev,
    List<String> allow,
    int shards,
    Duration history,
    Duration attemptTimeout,
    Duration grace,
    ApiSettings api,
    long historyBytes,
    Duration deadLetterRetention,
    long deadLetterBytes,
    long storeBytes,
    @Nullable Path secretKeys,
    @Nullable ClusterSettings cluster,
    HttpSenderSettings endpoints,
    int holdAfter) {
  /** The default time for which a dead letter is kept. */
  public static final Duration DEAD_LETTER_RETENTION = Duration.ofDays(30);

  private static final long MIN_BOUND_BYTES = 1 << 20;
  private static final long MIN_STORE_BYTES = 512L << 20;
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|::1|127(\\.[0-9]{1,3}){3}", Pattern.CASE_INSENSITIVE);

  /** The address at which a service listens unless it is told otherwise. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** The port of a service unless it is told otherwise. */
  public static final int DEFAULT_PORT = 8080;

  /**
   * Checks the ranges; throws {@link InvalidSettingException}, whose field is called as operators
   * know it, such as {@code attempt-timeout}.
   */
  public ServeSettings {
    allow = List.copyOf(allow);
    check(
        !dev || LOOPBACK.matcher(host).matches(),
        "host",
        host,
        "must be loopback, such as 127.0.0.1: dev is for this machine only");
    check(port >= 0 && port <= 65535, "port", port, "must be between 0 and 65535");
    check(
        shards >= 0 && shards <= EngineSettings.MAX_SHARDS,
        "shards",
        shards,
        "must be between 1 and " + EngineSettings.MAX_SHARDS + ", or 0");
    check(
        history.compareTo(Duration.ofMinutes(1)) >= 0, "history", history, "must be at least 1 m");
    check(
        attemptTimeout.compareTo(Duration.ofMillis(100)) >= 0
            && attemptTimeout.compareTo(Duration.ofMinutes(10)) <= 0,
        "attempt-timeout",
        attemptTimeout,
        "must be between 100ms and 10m");
    check(!grace.isNegative(), "grace", grace, "must not be negative");
    check(
        historyBytes == 0 || historyBytes >= MIN_BOUND_BYTES,
        "history-bytes",
        historyBytes,
        "must be at least 1M");
    check(
        deadLetterRetention.isZero() || deadLetterRetention.compareTo(Duration.ofMinutes(1)) >= 0,
        "dead-letter-retention",
        deadLetterRetention,
        "must be at least 1m, or forever");
    check(
        deadLetterBytes == 0 || deadLetterBytes >= MIN_BOUND_BYTES,
        "dead-letter-bytes",
        deadLetterBytes,
        "must be at least 1M");
    check(
        storeBytes == 0 || storeBytes >= MIN_STORE_BYTES,
        "store-bytes",
        storeBytes,
        "must be at least 512M, a part of which is for logs");
    check(
        holdAfter >= 0 && holdAfter <= ShardSettings.MAX_HOLD_AFTER,
        "hold-after",
        holdAfter,
        "must be between 1 and " + ShardSettings.MAX_HOLD_AFTER + ", or never");
  }

  /** Settings with the usual API and the usual bounds of what is kept. */
  public ServeSettings(
      Path data,
      String host,
      int port,
      boolean dev,
      List<String> allow,
      int shards,
      Duration history,
      Duration attemptTimeout,
      Duration grace) {
    this(
        data,
        host,
        port,
        dev,
        allow,
        shards,
        history,
        attemptTimeout,
        grace,
        ApiSettings.DEFAULT,
        0,
        DEAD_LETTER_RETENTION,
        0,
        0,
        null,
        null,
        HttpSenderSettings.DEFAULT,
        ShardSettings.DEFAULT_HOLD_AFTER);
  }

  /** Settings of a service that is no node of a cluster. */
  public ServeSettings(
      Path data,
      String host,
      int port,
      boolean dev,
      List<String> allow,
      int shards,
      Duration history,
      Duration attemptTimeout,
      Duration grace,
      ApiSettings api,
      long historyBytes,
      Duration deadLetterRetention,
      long deadLetterBytes,
      long storeBytes,
      @Nullable Path secretKeys) {
    this(
        data,
        host,
        port,
        dev,
        allow,
        shards,
        history,
        attemptTimeout,
        grace,
        api,
        historyBytes,
        deadLetterRetention,
        deadLetterBytes,
        storeBytes,
        secretKeys,
        null,
        HttpSenderSettings.DEFAULT,
        ShardSettings.DEFAULT_HOLD_AFTER);
  }

  /** Settings with the usual connections to endpoints, and number of refusals. */
  public ServeSettings(
      Path data,
      String host,
      int port,
      boolean dev,
      List<String> allow,
      int shards,
      Duration history,
      Duration attemptTimeout,
      Duration grace,
      ApiSettings api,
      long historyBytes,
      Duration deadLetterRetention,
      long deadLetterBytes,
      long storeBytes,
      @Nullable Path secretKeys,
      @Nullable ClusterSettings cluster) {
    this(
        data,
        host,
        port,
        dev,
        allow,
        shards,
        history,
        attemptTimeout,
        grace,
        api,
        historyBytes,
        deadLetterRetention,
        deadLetterBytes,
        storeBytes,
        secretKeys,
        cluster,
        HttpSenderSettings.DEFAULT,
        ShardSettings.DEFAULT_HOLD_AFTER);
  }

  /** The same with other settings of the API. */
  public ServeSettings withApi(ApiSettings newApi) {
    return new ServeSettings(
        data,
        host,
        port,
        dev,
        allow,
        shards,
        history,
        attemptTimeout,
        grace,
        newApi,
        historyBytes,
        deadLetterRetention,
        deadLetterBytes,
        storeBytes,
        secretKeys,
        cluster,
        endpoints,
        holdAfter);
  }

  /** Returns true if others in the network can read keys on their way. */
  public boolean exposesKeys() {
    return !api.tls() && !LOOPBACK.matcher(host).matches();
  }

  /**
   * The usual settings: this machine only, port 8080, three days of history, fifteen seconds for an
   * attempt, ten for a stop.
   */
  public static ServeSettings in(Path data) {
    return new ServeSettings(
        data,
        DEFAULT_HOST,
        DEFAULT_PORT,
        false,
        List.of(),
        0,
        Duration.ofDays(3),
        HttpAttempts.TIMEOUT,
        Duration.ofSeconds(10));
  }

  static void check(boolean holds, String field, Object value, String rule) {
    if (!holds) {
      throw new InvalidSettingException(field, value, rule);
    }
  }
}
