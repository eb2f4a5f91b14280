package dev.reprise.server.cli.node;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.http.HttpSenderSettings;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.policy.DurationText;
import dev.reprise.server.access.AuditSettings;
import dev.reprise.server.cli.base.BaseCommand;
import dev.reprise.server.cli.base.ExitCode;
import dev.reprise.server.cli.base.Failure;
import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.base.Reprise;
import dev.reprise.server.cli.terminal.Facts;
import dev.reprise.server.cli.terminal.Terminal;
import dev.reprise.server.log.LogFormat;
import dev.reprise.server.serve.ApiSettings;
import dev.reprise.server.serve.ServeSettings;
import dev.reprise.server.serve.Service;
import dev.reprise.server.serve.StartException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the service until it is told to stop. */
@Command(
    name = "serve",
    description = {
      "Run the service.",
      "The first start on a data folder makes an API key and shows it once; where no person reads"
          + " that, it is put into first-api-key in the data folder. SIGTERM or Ctrl-C stops it:"
          + " what is under way is finished, the rest waits on disk for the next start."
    },
    footer = {
      "  ./reprise serve --dev",
      "  ./reprise serve --data /var/lib/reprise --host 0.0.0.0 --allow 10.20.0.0/16"
    })
public final class ServeCommand extends BaseCommand {
  private static final Duration DRAIN = Duration.ofSeconds(1);
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,7})([KMGTkmgt]?)");
  private static final Duration FAILURE_LOOK = Duration.ofMillis(500);

  /** An orchestrator looks about every ten seconds. */
  private static final long FAILED_MILLIS = 10_000;

  /** In the data folder. */
  private static final String KEY_FILE = "first-api-key";

  private volatile int exitCode = ExitCode.DONE;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "data",
      description = "The folder with all data. Default: ./${DEFAULT-VALUE}.")
  private Path data = Path.of("data");

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8080",
      description = "The port to listen on; 0 for any. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "The address to listen on, such as 0.0.0.0 for all. Default: ${DEFAULT-VALUE}.")
  private String host = "";

  @Option(
      names = "--dev",
      description =
          "To play with: no API key is needed, and endpoints on this machine are allowed.")
  private boolean dev;

  @Option(
      names = "--allow",
      paramLabel = "CIDR",
      description =
          "Addresses that endpoints may have although they are not public, such as 10.20.0.0/16."
              + " May be repeated.")
  private List<String> allow = List.of();

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "How many shards a new data folder or cluster gets, 1 to 1024. Default: one for two"
              + " processors, and 16 for a cluster.")
  private int shards;

  @Option(
      names = "--history",
      paramLabel = "SPAN",
      defaultValue = "72h",
      description = "How long ended deliveries can be looked up. Default: ${DEFAULT-VALUE}.")
  private String history = "";

  @Option(
      names = "--history-bytes",
      paramLabel = "SIZE",
      description =
          "How much of that is kept at the most, such as 512M or 4G; the oldest goes first."
              + " Default: a tenth of the disk, at most 4G.")
  private String historyBytes = "";

  @Option(
      names = "--dead-letter-retention",
      paramLabel = "SPAN",
      defaultValue = "720h",
      description =
          "How long dead letters are kept before they are deleted and counted as discarded; or"
              + " forever. Default: ${DEFAULT-VALUE}.")
  private String deadLetterRetention = "";

  @Option(
      names = "--dead-letter-bytes",
      paramLabel = "SIZE",
      defaultValue = "",
      description =
          "How many bytes of dead letters are kept, such as 4G: beyond it, the subscription that"
              + " holds most gives up its oldest, which are counted as discarded. Default: no"
              + " bound.")
  private String deadLetterBytes = "";

  @Option(
      names = "--store-bytes",
      paramLabel = "SIZE",
      description =
          "How large the data folder may become, such as 20G, at least 512M. Near it the oldest"
              + " history goes, then the oldest figures of minutes; dead letters go only if"
              + " --dead-letter-bytes says so, pending deliveries never. At it publishes are"
              + " refused with 507 until there is room. Default: no bound but the disk.")
  private String storeBytes = "";

  @Option(
      names = "--attempt-timeout",
      paramLabel = "SPAN",
      defaultValue = "15s",
      description = "How long one attempt may take, 100ms to 10m. Default: ${DEFAULT-VALUE}.")
  private String attemptTimeout = "";

  @Option(
      names = "--max-response-head",
      paramLabel = "SIZE",
      defaultValue = "64K",
      description =
          "How much of the head of an endpoint's response is read, 1K to 256K; beyond that its"
              + " status alone counts. Default: ${DEFAULT-VALUE}.")
  private String maxResponseHead = "";

  @Option(
      names = "--max-connection-age",
      paramLabel = "SPAN",
      defaultValue = "3m",
      description =
          "How long a connection to an endpoint takes new requests, 1s to 24h; those under way are"
              + " not cut off. Default: ${DEFAULT-VALUE}.")
  private String maxConnectionAge = "";

  @Option(
      names = "--hold-after",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "After how many deliveries in a row that are refused for good with the same code the rest"
              + " of a subscription, a host or a carrier waits, 1 to 100; or never. Default:"
              + " ${DEFAULT-VALUE}.")
  private String holdAfter = "";

  @Option(
      names = "--grace",
      paramLabel = "SPAN",
      defaultValue = "10s",
      description = "How long a stop waits for attempts under way. Default: ${DEFAULT-VALUE}.")
  private String grace = "";

  @Option(
      names = "--drain",
      paramLabel = "SPAN",
      description =
          "How long a stop serves on while /health/ready already fails, so that load balancers"
              + " turn elsewhere; 0s to 10m. Default: 1s, with --dev 0s.")
  private @Nullable String drain;

  @Option(
      names = "--max-connections",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "The most connections of clients. Default: a quarter of the limit of open files"
              + " (ulimit -n), up to 4096.")
  private int maxConnections;

  @Option(
      names = "--tls-certificate",
      paramLabel = "FILE",
      description =
          "Serve HTTPS with this certificate and those that lead to its authority, in PEM. Is read"
              + " again when it changes.")
  private @Nullable Path tlsCertificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The private key of the certificate, in PEM, without a passphrase.")
  private @Nullable Path tlsKey;

  @Option(
      names = "--secret-keys",
      paramLabel = "FILE",
      description =
          "The keys under which passwords and other secrets are encrypted, one a line, the current"
              + " one first: ./reprise secret-key makes one. Default: those in"
              + " REPRISE_SECRET_KEYS; without any, secrets are refused.")
  private @Nullable Path secretKeys;

  @Option(
      names = "--clock-from-system",
      description =
          "After a start with a clock far ahead: take what was stored by it back to the system's"
              + " time. Due times are moved to now or later.")
  private boolean clockFromSystem;

  @Option(
      names = "--audit-retention",
      paramLabel = "SPAN",
      defaultValue = "2160h",
      description =
          "How long the audit log keeps a change, at least 24h. Default: ${DEFAULT-VALUE}.")
  private String auditRetention = "";

  @Option(
      names = "--audit-records",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "The most changes that it keeps, from 1000. Default: ${DEFAULT-VALUE}.")
  private int auditRecords;

  @Option(
      names = "--new-key",
      description =
          "Make another operator's API key and show it once: for when all others are lost. They"
              + " stay good until they are revoked.")
  private boolean newKey;

  @Option(
      names = "--log-format",
      paramLabel = "FORM",
      defaultValue = "text",
      description =
          "The form of the log on standard error: text, or json with one object a line. Default:"
              + " ${DEFAULT-VALUE}.")
  private String logFormat = "";

  @Option(
      names = "--log-attempts",
      description = "Log each attempt, with its delivery and what came of it; without bodies.")
  private boolean logAttempts;

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Override
  public Integer call() throws InterruptedException {
    if (dev && newKey) {
      throw wrongUsage("--new-key and --dev exclude each other: --dev needs no key");
    }
    long startedNanos = System.nanoTime();
    LogFormat format =
        switch (logFormat) {
          case "text" -> LogFormat.TEXT;
          case "json" -> LogFormat.JSON;
          default -> throw wrongUsage("--log-format is " + logFormat + ": must be text or json");
        };
    try {
      format.use(logAttempts);
    } catch (IllegalArgumentException e) {
      throw Failure.failed(String.valueOf(e.getMessage()));
    }
    ServeSettings settings = settings();
    Service service;
    try {
      service = Service.start(settings, clockFromSystem, newKey);
    } catch (StartException e) {
      String why = e.getMessage() + hint(e.cause());
      throw StoreException.isDamage(e) ? new Failure(ExitCode.DAMAGED, why) : Failure.failed(why);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(service, settings), "reprise-stop"));
    banner(service, settings, (System.nanoTime() - startedNanos) / 1_000_000);
    return awaitFailure(service);
  }

  /**
   * Waits until the service has failed for good; if it is told to stop before, the process ends
   * meanwhile. Then it stays for a little longer, so that {@code /health/live} can say so, and
   * ends, to be restarted by its supervisor.
   */
  private int awaitFailure(Service service) throws InterruptedException {
    Pauses pauses = Pauses.every(FAILURE_LOOK);
    String failure;
    while ((failure = service.failure()) == null) {
      pauses.next();
    }
    boolean damaged = service.isDamaged();
    exitCode = damaged ? ExitCode.DAMAGED : ExitCode.BROKEN;
    terminal()
        .error(
            failure
                + ". The service ends in "
                + AmountText.exact(Duration.ofMillis(FAILED_MILLIS))
                + " with exit code "
                + exitCode
                + (damaged
                    ? "; started again, it ends the same way"
                    : "; started again, it goes on from what is stored"));
    terminal().flush();
    Thread.sleep(FAILED_MILLIS);
    return exitCode;
  }

  private static String hint(StartException.Cause cause) {
    return switch (cause) {
      case ADDRESS -> ". Choose another with --port or --host";
      case DATA_IN_USE -> ". Choose another with --data";
      case OTHER -> "";
    };
  }

  private ServeSettings settings() {
    try {
      return new ServeSettings(
          data.toAbsolutePath().normalize(),
          host,
          port,
          dev,
          allow,
          shards,
          span("--history", history),
          span("--attempt-timeout", attemptTimeout),
          span("--grace", grace),
          new ApiSettings(
              maxConnections,
              drain != null ? span("--drain", drain) : dev ? Duration.ZERO : DRAIN,
              tlsCertificate,
              tlsKey,
              new AuditSettings(span("--audit-retention", auditRetention), auditRecords),
              cluster.nodeAuthority()),
          historyBytes.isEmpty() ? 0 : size("--history-bytes", historyBytes),
          deadLetterRetention.equals("forever")
              ? Duration.ZERO
              : span("--dead-letter-retention", deadLetterRetention),
          deadLetterBytes.isEmpty() ? 0 : size("--dead-letter-bytes", deadLetterBytes),
          storeBytes.isEmpty() ? 0 : size("--store-bytes", storeBytes),
          secretKeys,
          cluster.settings(host, port, tlsCertificate != null, shards, this::span),
          endpoints(),
          holdAfter());
    } catch (InvalidSettingException e) {
      throw refused(e);
    }
  }

  private HttpSenderSettings endpoints() {
    long head = size("--max-response-head", maxResponseHead);
    if (head < HttpSenderSettings.MIN_HEAD_BYTES || head > HttpSenderSettings.MAX_HEAD_BYTES) {
      throw wrongUsage(
          "--max-response-head is " + maxResponseHead + ": must be between 1K and 256K");
    }
    Duration age = span("--max-connection-age", maxConnectionAge);
    if (age.compareTo(Duration.ofSeconds(1)) < 0 || age.compareTo(Duration.ofDays(1)) > 0) {
      throw wrongUsage(
          "--max-connection-age is " + maxConnectionAge + ": must be between 1s and 24h");
    }
    return HttpSenderSettings.DEFAULT.withMaxHeadBytes((int) head).withMaxConnectionAge(age);
  }

  private int holdAfter() {
    if (holdAfter.equals("never")) {
      return 0;
    }
    if (!holdAfter.matches("[1-9][0-9]{0,8}")) {
      throw wrongUsage("--hold-after is " + holdAfter + ": must be a number from 1, or never");
    }
    return Integer.parseInt(holdAfter);
  }

  private Duration span(String option, String text) {
    Duration span = DurationText.read(text);
    if (span == null) {
      throw wrongUsage(option + " is " + text + ": must be a span such as 30s, 10m or 72h");
    }
    return span;
  }

  private long size(String option, String text) {
    Matcher size = SIZE.matcher(text);
    if (!size.matches()) {
      throw wrongUsage(option + " is " + text + ": must be a size such as 512M or 4G");
    }
    int thousands = "KMGT".indexOf(size.group(2).toUpperCase(Locale.ROOT)) + 1;
    return Long.parseLong(size.group(1)) << (size.group(2).isEmpty() ? 0 : 10 * thousands);
  }

  private void banner(Service service, ServeSettings settings, long millis) {
    Terminal terminal = terminal();
    if (json()) {
      var said =
          Json.object().put("url", service.baseUrl()).put("data", settings.data().toString());
      service.firstKey().ifPresent(key -> said.put("firstKey", key));
      service.brokerAddress().ifPresent(address -> said.put("broker", address));
      Json.print(terminal, said);
    } else {
      Facts facts =
          new Facts(terminal)
              .add(
                  "Reprise",
                  service.baseUrl() + ", started in " + AmountText.rough(Duration.ofMillis(millis)))
              .add(
                  "listens",
                  service.listensEverywhere()
                      ? "at every address of this machine ("
                          + settings.host()
                          + "), port "
                          + service.port()
                      : "")
              .add("data", settings.data())
              .add(
                  "broker",
                  service
                      .brokerAddress()
                      .map(
                          address ->
                              address
                                  + ", in this process, for trying out: one copy, acknowledged from"
                                  + " the page cache")
                      .orElse(""))
              .add(
                  "mode",
                  dev ? "dev: no API key is needed, endpoints on this machine are allowed" : "");
      if (settings.exposesKeys()) {
        facts.add(
            "warning",
            "API keys cross the network in clear: give --tls-certificate and --tls-key, or put a"
                + " proxy with TLS in front");
      }
      String shown = service.firstKey().map(key -> shown(key, settings)).orElse("");
      facts.add("API key", shown.isEmpty() ? "" : shown + "   (shown this once)");
      facts.print();
      String elsewhere =
          service.baseUrl().equals(Reprise.DEFAULT_URL)
              ? ""
              : "export REPRISE_URL=" + service.baseUrl() + "; ";
      terminal.line(
          "Elsewhere: "
              + elsewhere
              + (shown.isEmpty()
                  ? "./reprise topic create orders"
                  : "export REPRISE_KEY=" + shown + "; ./reprise topic list"));
    }
    terminal.flush();
  }

  /**
   * Returns the first API key as the banner has it. If the output is no terminal it may be stored,
   * as systemd stores it in its journal: then the key is put into a file and read from there.
   */
  private String shown(String key, ServeSettings settings) {
    if (terminal().interactiveOut()) {
      return key;
    }
    Path file = settings.data().resolve(KEY_FILE);
    try {
      Files.deleteIfExists(file);
      Files.writeString(ownersAlone(file), key + "\n");
      return "$(cat " + file + ")";
    } catch (IOException e) {
      terminal().error("the API key cannot be put into " + file + ": " + e.getMessage());
      return key;
    }
  }

  private static Path ownersAlone(Path file) throws IOException {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
        : Files.createFile(file);
  }

  /** Runs while the process ends, and ends it: being told to stop is a success. */
  private void stop(Service service, ServeSettings settings) {
    terminal()
        .note(
            "Stopping: waits up to "
                + AmountText.exact(settings.grace())
                + " for attempts under way; what is left is taken up at the next start.");
    service.close();
    terminal().note("Stopped.");
    terminal().flush();
    Runtime.getRuntime().halt(exitCode);
  }
}
