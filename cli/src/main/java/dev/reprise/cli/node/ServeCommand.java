package dev.reprise.cli.node;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.base.Reprise;
import dev.reprise.cli.terminal.Facts;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.common.text.AmountText;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.server.log.LogFormat;
import dev.reprise.server.serve.Service;
import dev.reprise.server.serve.ServiceManager;
import dev.reprise.server.serve.StartException;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import dev.reprise.server.settings.SettingsFile;
import dev.reprise.server.settings.SourcedSettings;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the service until it is stopped. */
@Command(
    name = "serve",
    description = {
      "Run the service.",
      "The first start on a data folder makes an API key and shows it once; where the output is no"
          + " terminal, it is put into first-api-key in the data folder. SIGTERM or Ctrl-C stops"
          + " it: what is under way is finished, the rest waits on disk for the next start."
    },
    footer = {
      "  ./reprise serve --dev",
      "  ./reprise serve --data /var/lib/reprise --host 0.0.0.0 --allow 10.20.0.0/16"
    })
public final class ServeCommand extends BaseCommand {
  private static final Duration FAILURE_LOOK = Duration.ofMillis(500);

  /** An orchestrator looks about every ten seconds. */
  private static final long FAILED_MILLIS = 10_000;

  /** In the data folder. */
  private static final String KEY_FILE = "first-api-key";

  private volatile int exitCode = ExitCode.DONE;

  @Mixin private final SettingOptions options = new SettingOptions();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "A file with settings, in YAML or, as *.properties, as properties: the options below"
              + " without --, such as history: 72h. An option counts before a variable, a variable"
              + " before the file. Default: $$REPRISE_CONFIG.")
  private @Nullable Path config;

  @Option(
      names = "--print-config",
      description =
          "Check the settings, print each with the place that it comes from, in the form of a file"
              + " for --config, and start nothing.")
  private boolean printConfig;

  @Option(
      names = "--clock-from-system",
      description =
          "After a start with a clock far ahead: take what was stored by it back to the system's"
              + " time. Due times are moved to now or later. Not with --cluster.")
  private boolean clockFromSystem;

  @Option(
      names = "--new-key",
      description =
          "Make another operator's API key and show it once: for when all others are lost. They"
              + " stay good until they are revoked.")
  private boolean newKey;

  @Override
  public Integer call() throws InterruptedException {
    long startedNanos = System.nanoTime();
    SourcedSettings sourced = sourced();
    ServeSettings settings = sourced.settings();
    if (clockFromSystem && settings.find(Settings.CLUSTER) != null) {
      throw wrongUsage(
          "--clock-from-system and --cluster exclude each other: the shards of a cluster keep their"
              + " time in Kafka, and no start of a node takes it back");
    }
    if (printConfig) {
      PrintedSettings.print(terminal(), sourced, json());
      return ExitCode.DONE;
    }
    if (settings.dev() && newKey) {
      throw wrongUsage("--new-key and --dev exclude each other: --dev needs no key");
    }
    LogFormat format =
        settings.get(Settings.LOG_FORMAT).equals("json") ? LogFormat.JSON : LogFormat.TEXT;
    try {
      format.use(settings.get(Settings.LOG_ATTEMPTS));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.failed(String.valueOf(e.getMessage()));
    }
    Service service;
    try {
      service = Service.start(settings, clockFromSystem, newKey);
    } catch (StartException e) {
      String why = e.getMessage() + hint(e.cause());
      throw StoreException.isDamage(e)
          ? new CommandFailure(ExitCode.DAMAGED, why)
          : CommandFailure.failed(why);
    }
    ServiceManager manager = ServiceManager.of(terminal().environment());
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> stop(service, settings, manager), "reprise-stop"));
    banner(service, settings, (System.nanoTime() - startedNanos) / 1_000_000);
    manager.watch(service::isAnswering);
    return awaitFailure(service);
  }

  /**
   * Waits until the service has failed for good; if it is stopped before, the process ends
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
      // The message ends with: choose another folder.
      case DATA_IN_USE -> " with --data";
      case OTHER -> "";
    };
  }

  private SourcedSettings sourced() {
    String variable = terminal().variable("REPRISE_CONFIG");
    SourcedSettings.misspelt(terminal().environment()).forEach(terminal()::warning);
    try {
      Path file = config == null && variable != null ? Path.of(variable) : config;
      return SourcedSettings.of(
          options.given(spec()),
          terminal().environment(),
          file == null ? null : SettingsFile.read(file));
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  private void banner(Service service, ServeSettings settings, long millis) {
    Terminal terminal = terminal();
    String publicUrl = settings.proxies().publicUrl().toString();
    if (json()) {
      var said =
          Json.object().put("url", service.baseUrl()).put("data", settings.data().toString());
      if (!publicUrl.isEmpty()) {
        said.put("publicUrl", publicUrl);
      }
      service.firstKey().ifPresent(key -> said.put("firstKey", key));
      service.brokerAddress().ifPresent(address -> said.put("broker", address));
      Json.print(terminal, said);
    } else {
      Facts facts =
          new Facts(terminal)
              .add(
                  "Reprise",
                  service.baseUrl() + ", started in " + AmountText.rough(Duration.ofMillis(millis)))
              .add("console", publicUrl.isEmpty() ? "" : publicUrl + ", through a proxy")
              .add(
                  "listens",
                  service.listensEverywhere()
                      ? "at every address of this machine ("
                          + settings.get(Settings.HOST)
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
                  settings.dev()
                      ? "dev: no API key is needed, endpoints on this machine are allowed"
                      : "");
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
              + (settings.dev()
                  ? "./reprise topic create orders"
                  : withKey(shown.isEmpty() ? keptKey(service, settings) : shown)));
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

  private static String withKey(String key) {
    return key.isEmpty()
        ? "export REPRISE_KEY=KEY; ./reprise topic list   (KEY: an API key that was made before;"
            + " ./reprise serve --new-key makes another)"
        : "export REPRISE_KEY=" + key + "; ./reprise topic list";
  }

  /**
   * Returns how the key of an earlier start is read; empty if it is not there, or not valid now.
   */
  private static String keptKey(Service service, ServeSettings settings) {
    Path file = settings.data().resolve(KEY_FILE);
    try {
      return service.takesKey(Files.readString(file).strip()) ? "$(cat " + file + ")" : "";
    } catch (IOException e) {
      // Most starts have none: a terminal was shown the key.
      return "";
    }
  }

  private static Path ownersAlone(Path file) throws IOException {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
        : Files.createFile(file);
  }

  /** Runs while the process ends, and ends it: being stopped is a success. */
  private void stop(Service service, ServeSettings settings, ServiceManager manager) {
    manager.stopping();
    terminal()
        .note(
            "Stopping: waits up to "
                + AmountText.exact(settings.get(Settings.GRACE))
                + " for attempts under way; what is left is taken up at the next start.");
    service.close();
    terminal().note("Stopped.");
    terminal().flush();
    Runtime.getRuntime().halt(exitCode);
  }
}
