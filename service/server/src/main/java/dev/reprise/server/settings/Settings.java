package dev.reprise.server.settings;

import static dev.reprise.server.settings.SettingTypes.FILE;
import static dev.reprise.server.settings.SettingTypes.SWITCH;
import static dev.reprise.server.settings.SettingTypes.TEXT;
import static dev.reprise.server.settings.SettingTypes.TEXTS;
import static dev.reprise.server.settings.SettingTypes.number;
import static dev.reprise.server.settings.SettingTypes.oneOf;
import static dev.reprise.server.settings.SettingTypes.size;
import static dev.reprise.server.settings.SettingTypes.span;

import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.http.HttpSenderSettings;
import dev.reprise.server.proxy.TrustedProxies;
import dev.reprise.server.settings.Setting.Group;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** All settings of the service. */
public final class Settings {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
  private static final long MEGABYTE = 1 << 20;

  public static final Setting<Path> DATA =
      Setting.of(Group.SERVICE, "data", "DIR", FILE, "The folder with all data.").byDefault("data");

  public static final Setting<Integer> PORT =
      Setting.of(
              Group.SERVICE,
              "port",
              "PORT",
              number(0, 65535),
              "The port to listen on; 0 for any that is free.")
          .byDefault("8080");

  public static final Setting<String> HOST =
      Setting.of(
              Group.SERVICE,
              "host",
              "HOST",
              TEXT,
              "The address to listen on, such as 0.0.0.0 for all.")
          .byDefault("127.0.0.1");

  public static final Setting<String> PUBLIC_URL =
      Setting.of(
          Group.SERVICE,
          "public-url",
          "URL",
          TEXT,
          "Where clients reach the service through a proxy, such as https://example.com/reprise/."
              + " Requests with its path in front are served as those without.");

  public static final Setting<List<String>> TRUSTED_PROXIES =
      Setting.of(
          Group.SERVICE,
          "trusted-proxies",
          "CIDR",
          TEXTS,
          "Addresses of proxies, such as 10.0.0.0/8, whose headers tell the address of the client,"
              + " the Host that it has asked for and whether it speaks TLS. Those of others are"
              + " ignored. May be repeated.");

  public static final Setting<String> FORWARDED_HEADER =
      Setting.of(
              Group.SERVICE,
              "forwarded-header",
              "FORM",
              oneOf(TrustedProxies.X_FORWARDED, TrustedProxies.FORWARDED),
              "The headers that trusted proxies write: x-forwarded for X-Forwarded-For, -Host and"
                  + " -Proto, or forwarded for Forwarded (RFC 7239).")
          .byDefault(TrustedProxies.X_FORWARDED);

  public static final Setting<Boolean> DEV =
      Setting.of(
              Group.SERVICE,
              "dev",
              "",
              SWITCH,
              "To play with: no API key is needed, and endpoints on this machine are allowed.")
          .byDefault("false");

  public static final Setting<Integer> SHARDS =
      Setting.of(
              Group.SERVICE,
              "shards",
              "N",
              number(1, EngineSettings.MAX_SHARDS, "0", 0),
              "The number of shards that a new data folder or cluster gets.")
          .byDefaultAs("one for two processors, and 16 for a cluster");

  public static final Setting<Duration> GRACE =
      Setting.of(
              Group.SERVICE,
              "grace",
              "SPAN",
              span(Duration.ZERO, null),
              "How long a stop waits for attempts under way.")
          .byDefault("10s");

  public static final Setting<Duration> DRAIN =
      Setting.of(
              Group.SERVICE,
              "drain",
              "SPAN",
              span(Duration.ZERO, TEN_MINUTES),
              "How long a stop serves on while /health/ready already fails, so that load balancers"
                  + " turn elsewhere.")
          .byDefaultAs("1s, with dev 0s");

  public static final Setting<Integer> MAX_CONNECTIONS =
      Setting.of(
              Group.SERVICE,
              "max-connections",
              "N",
              number(1, 1_000_000, "0", 0),
              "The most connections of clients.")
          .byDefaultAs("a quarter of the limit of open files (ulimit -n), up to 4096");

  public static final Setting<Duration> IDLE_TIMEOUT =
      Setting.of(
              Group.SERVICE,
              "idle-timeout",
              "SPAN",
              span(SECOND, DAY),
              "How long a connection of a client stays open without a request; should be longer"
                  + " than in a load balancer in front.")
          .byDefault("11m");

  public static final Setting<Duration> HEAD_TIMEOUT =
      Setting.of(
              Group.SERVICE,
              "head-timeout",
              "SPAN",
              span(SECOND, TEN_MINUTES),
              "How long the head of a request may take from its first byte, or the first one from"
                  + " the opening of its connection.")
          .byDefault("30s");

  public static final Setting<Path> TLS_CERTIFICATE =
      Setting.of(
          Group.SERVICE,
          "tls-certificate",
          "FILE",
          FILE,
          "Serve HTTPS with this certificate and those that lead to its authority, in PEM. Is read"
              + " again when it changes.");

  public static final Setting<Path> TLS_KEY =
      Setting.of(
          Group.SERVICE,
          "tls-key",
          "FILE",
          FILE,
          "The private key of the certificate, in PEM, without a passphrase.");

  public static final Setting<Path> SECRET_KEYS =
      Setting.of(
              Group.SERVICE,
              "secret-keys",
              "FILE",
              FILE,
              "The keys under which passwords and other secrets are encrypted, one a line, the"
                  + " current one first: ./reprise secret-key makes one.")
          .byDefaultAs("those in REPRISE_SECRET_KEYS; without any, secrets are refused")
          // The variable without _FILE has the keys themselves.
          .withVariable("REPRISE_SECRET_KEYS_FILE");

  public static final Setting<List<String>> ALLOW =
      Setting.of(
          Group.ENDPOINTS,
          "allow",
          "CIDR",
          TEXTS,
          "Addresses that endpoints may have although they are not public, such as 10.20.0.0/16."
              + " May be repeated.");

  public static final Setting<Duration> ATTEMPT_TIMEOUT =
      Setting.of(
              Group.ENDPOINTS,
              "attempt-timeout",
              "SPAN",
              span(Duration.ofMillis(100), TEN_MINUTES),
              "How long one attempt may take.")
          .byDefault("15s");

  public static final Setting<Integer> HOLD_AFTER =
      Setting.of(
              Group.ENDPOINTS,
              "hold-after",
              "N",
              number(1, ShardSettings.MAX_HOLD_AFTER, "never", 0),
              "After how many deliveries in a row that are refused for good with the same code the"
                  + " rest of a subscription, a host or a carrier waits.")
          .byDefault(String.valueOf(ShardSettings.DEFAULT_HOLD_AFTER));

  public static final Setting<Long> MAX_RESPONSE_HEAD =
      Setting.of(
              Group.ENDPOINTS,
              "max-response-head",
              "SIZE",
              size(HttpSenderSettings.MIN_HEAD_BYTES, (long) HttpSenderSettings.MAX_HEAD_BYTES),
              "How much of the head of an endpoint's response is read; beyond that its status alone"
                  + " counts.")
          .byDefault("64K");

  public static final Setting<Duration> MAX_CONNECTION_AGE =
      Setting.of(
              Group.ENDPOINTS,
              "max-connection-age",
              "SPAN",
              span(SECOND, DAY),
              "How long a connection to an endpoint takes new requests; those under way are not cut"
                  + " off.")
          .byDefault("3m");

  public static final Setting<Duration> HISTORY =
      Setting.of(
              Group.RETENTION,
              "history",
              "SPAN",
              span(MINUTE, null),
              "How long ended deliveries can be looked up.")
          .byDefault("72h");

  public static final Setting<Long> HISTORY_BYTES =
      Setting.of(
              Group.RETENTION,
              "history-bytes",
              "SIZE",
              size(MEGABYTE, null),
              "How much of that is kept at the most, such as 512M or 4G; the oldest goes first.")
          .byDefaultAs("a tenth of the disk, at most 4G");

  public static final Setting<Duration> DEAD_LETTER_RETENTION =
      Setting.of(
              Group.RETENTION,
              "dead-letter-retention",
              "SPAN",
              span(MINUTE, "forever", Duration.ZERO),
              "How long dead letters are kept before they are deleted and counted as discarded; or"
                  + " forever.")
          .byDefault("720h");

  public static final Setting<Long> DEAD_LETTER_BYTES =
      Setting.of(
              Group.RETENTION,
              "dead-letter-bytes",
              "SIZE",
              size(MEGABYTE, null),
              "How many bytes of dead letters are kept, such as 4G: beyond it, the subscription"
                  + " that holds most gives up its oldest, which are counted as discarded.")
          .byDefaultAs("no bound");

  public static final Setting<Long> STORE_BYTES =
      Setting.of(
              Group.RETENTION,
              "store-bytes",
              "SIZE",
              size(512 * MEGABYTE, null),
              "How large the data folder may become, such as 20G. Near it the oldest history goes,"
                  + " then the oldest figures of minutes; dead letters go only if dead-letter-bytes"
                  + " says so, pending deliveries never. At it publishes are refused with 507 until"
                  + " there is room.")
          .byDefaultAs("no bound but the disk");

  public static final Setting<String> LOG_FORMAT =
      Setting.of(
              Group.LOG,
              "log-format",
              "FORM",
              oneOf("text", "json"),
              "The form of the log on standard error: text, or json with one object a line.")
          .byDefault("text");

  public static final Setting<Boolean> LOG_ATTEMPTS =
      Setting.of(
              Group.LOG,
              "log-attempts",
              "",
              SWITCH,
              "Log each attempt, with its delivery and its outcome; without bodies.")
          .byDefault("false");

  public static final Setting<Integer> METRICS_SUBSCRIPTIONS =
      Setting.of(
              Group.LOG,
              "metrics-subscriptions",
              "N",
              number(0, 100_000),
              "How many subscriptions /metrics names with a series of their own; all others are"
                  + " counted together as (other), and with 0 none is named.")
          .byDefault("1000");

  public static final Setting<Duration> METRICS_ZERO_FOR =
      Setting.of(
              Group.LOG,
              "metrics-zero-for",
              "SPAN",
              span(Duration.ZERO, TEN_MINUTES),
              "How long a counter that an alert is on stays 0 after it was first read at /metrics:"
                  + " more than two intervals of a scrape, so that each Prometheus has seen the 0.")
          .byDefault("150s");

  public static final Setting<Duration> AUDIT_RETENTION =
      Setting.of(
              Group.LOG,
              "audit-retention",
              "SPAN",
              span(DAY, null),
              "How long the audit log keeps a change.")
          .byDefault("2160h");

  public static final Setting<Integer> AUDIT_RECORDS =
      Setting.of(
              Group.LOG,
              "audit-records",
              "N",
              number(1000, 100_000_000),
              "The most changes that the audit log keeps.")
          .byDefault("1000000");

  public static final Setting<String> CLUSTER =
      Setting.of(
          Group.CLUSTER,
          "cluster",
          "BROKERS",
          TEXT,
          "Be a node of a cluster over Kafka: HOST:PORT of a broker, or of several, separated by"
              + " commas. What was accepted is on the brokers then, and the data folder has copies"
              + " of a part of it. Waits a minute for brokers that do not answer. For trying out:"
              + " embedded, a broker in this process.");

  public static final Setting<String> CLUSTER_NAME =
      Setting.of(
              Group.CLUSTER,
              "cluster-name",
              "NAME",
              TEXT,
              "The name of the cluster, with which the names of its topics, ids and group begin.")
          .byDefault("reprise");

  public static final Setting<Path> CLUSTER_PROPERTIES =
      Setting.of(
          Group.CLUSTER,
          "cluster-properties",
          "FILE",
          FILE,
          "Settings of Kafka's clients under their own names, such as security.protocol and"
              + " sasl.jaas.config; those that a node depends on cannot be changed.");

  public static final Setting<String> NODE =
      Setting.of(Group.CLUSTER, "node", "NAME", TEXT, "The name of this node, which no other has.")
          .byDefaultAs("the name of the machine");

  public static final Setting<String> NODE_URL =
      Setting.of(
              Group.CLUSTER,
              "node-url",
              "URL",
              TEXT,
              "Where other nodes reach the API of this one, such as https://10.0.0.3:8080. A node"
                  + " whose URL is https sends nothing to one whose URL is not.")
          .byDefaultAs("http, or https with tls-certificate, host and port");

  public static final Setting<Path> NODE_CA =
      Setting.of(
              Group.CLUSTER,
              "node-ca",
              "FILE",
              FILE,
              "Trust the certificates of other nodes if the authorities in this file, in PEM, have"
                  + " issued them.")
          .byDefaultAs("the authorities that Java trusts");

  public static final Setting<Integer> REPLICATION =
      Setting.of(
              Group.CLUSTER,
              "replication",
              "N",
              number(1, Short.MAX_VALUE),
              "On how many brokers a new cluster has each record; 1 if there is one only.")
          .byDefault("3");

  public static final Setting<Integer> FOLLOWERS =
      Setting.of(
              Group.CLUSTER,
              "followers",
              "N",
              number(0, 1000),
              "How many other nodes keep a copy of each shard, so that one of them takes over at"
                  + " once.")
          .byDefault("1");

  public static final Setting<Duration> SESSION =
      Setting.of(
              Group.CLUSTER,
              "session",
              "SPAN",
              span(SECOND, null),
              "After how long a node that is not heard of has lost its shards; the brokers bound"
                  + " it.")
          .byDefault("6s");

  public static final Setting<Duration> STANDS_AFTER =
      Setting.of(
              Group.CLUSTER,
              "stands-after",
              "SPAN",
              span(SECOND, null),
              "How long accepted records may wait for a shard that takes none until the cluster's"
                  + " page, the log and operator events report it as standing.")
          .byDefault("1m");

  /** In the order of help and reference. */
  public static final List<Setting<?>> ALL =
      List.of(
          DATA,
          PORT,
          HOST,
          PUBLIC_URL,
          TRUSTED_PROXIES,
          FORWARDED_HEADER,
          DEV,
          SHARDS,
          GRACE,
          DRAIN,
          MAX_CONNECTIONS,
          IDLE_TIMEOUT,
          HEAD_TIMEOUT,
          TLS_CERTIFICATE,
          TLS_KEY,
          SECRET_KEYS,
          ALLOW,
          ATTEMPT_TIMEOUT,
          HOLD_AFTER,
          MAX_RESPONSE_HEAD,
          MAX_CONNECTION_AGE,
          HISTORY,
          HISTORY_BYTES,
          DEAD_LETTER_RETENTION,
          DEAD_LETTER_BYTES,
          STORE_BYTES,
          LOG_FORMAT,
          LOG_ATTEMPTS,
          METRICS_SUBSCRIPTIONS,
          METRICS_ZERO_FOR,
          AUDIT_RETENTION,
          AUDIT_RECORDS,
          CLUSTER,
          CLUSTER_NAME,
          CLUSTER_PROPERTIES,
          NODE,
          NODE_URL,
          NODE_CA,
          REPLICATION,
          FOLLOWERS,
          SESSION,
          STANDS_AFTER);

  private Settings() {}

  /** Returns the setting of this name. */
  public static Optional<Setting<?>> named(String name) {
    return ALL.stream().filter(setting -> setting.name().equals(name)).findFirst();
  }
}
