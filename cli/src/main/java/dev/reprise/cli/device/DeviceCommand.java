package dev.reprise.cli.device;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.base.PolicyArgument;
import dev.reprise.common.text.WrongUrl;
import dev.reprise.device.retry.RetryPolicies;
import dev.reprise.device.retry.RetryPolicy;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.document.DurationText;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs real devices against a broker, and shows how they fare. */
@Command(
    name = "device",
    description = {
      "Run real devices against a broker or hub, and watch them.",
      "Each sends at a steady rate, keeps what it cannot send, and reconnects for ever. Kill the"
          + " broker and see. Ctrl-C ends it: it waits for messages under way, then accounts for"
          + " every message. Exit code 1 unless all were acknowledged or are kept on disk.",
      "URL: mqtt, mqtts, ws, wss, amqp, amqps, http or https; user:password@ before the host."
    },
    footer = {
      "  ./reprise device mqtt://localhost",
      "  ./reprise device mqtt://localhost:1883 --count 50 --rate 2",
      "  ./reprise device amqp://artemis:5672 --topic telemetry --queue /var/lib/devices",
      "  ./reprise device https://example.com/events --policy azure-iot --duration 10m"
    })
public final class DeviceCommand extends BaseCommand {
  /** More than closing takes, should a disk hang. */
  private static final long MAX_CLOSE_MILLIS = 40_000;

  @Parameters(paramLabel = "URL", description = "The broker, such as mqtt://localhost:1883.")
  private String url = "";

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many devices, 1 to 10,000. Default: ${DEFAULT-VALUE}.")
  private int count;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Messages a second of each device, such as 0.1; 0 for none. Default: ${DEFAULT-VALUE}.")
  private double rate;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "100",
      description = "How long each message is. Default: ${DEFAULT-VALUE} bytes.")
  private int size;

  @Option(
      names = "--duration",
      paramLabel = "SPAN",
      description = "How long they send, such as 10m. Default: until Ctrl-C.")
  private @Nullable String duration;

  @Option(
      names = "--ramp",
      paramLabel = "SPAN",
      defaultValue = "0s",
      description = "Over how long they are opened, such as 30s. Default: all at once.")
  private String ramp = "";

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      description =
          "MQTT and AMQP: where messages go to. Default: devices/NAME-1/messages, and so on.")
  private @Nullable String topic;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "device",
      description =
          "What the devices are called: NAME-1, NAME-2 and so on. A broker lets each name in once."
              + " Default: ${DEFAULT-VALUE}.")
  private String name = "";

  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      description =
          "The policy by which they reconnect: "
              + PolicyArgument.FORMS
              + ". Default: 100 ms to 10 s, for ever.")
  private @Nullable String policy;

  @Option(
      names = "--queue",
      paramLabel = "DIR",
      description =
          "Keep their queues on disk, in a folder each below this one. Default: in memory.")
  private @Nullable Path queue;

  @Option(
      names = {"--ca", "--cafile"},
      paramLabel = "FILE",
      description = "TLS: the authorities to trust, in PEM. Default: those that Java trusts.")
  private @Nullable Path authorities;

  @Option(
      names = "--cert",
      paramLabel = "FILE",
      description = "TLS: the certificate to show, in PEM; with --key.")
  private @Nullable Path certificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "TLS: the key of --cert, in PEM, unencrypted.")
  private @Nullable Path key;

  @Option(
      names = "--every",
      paramLabel = "SPAN",
      defaultValue = "1s",
      description = "How often the state is shown. Default: ${DEFAULT-VALUE}.")
  private String every = "";

  @Option(
      names = "--drain",
      paramLabel = "SPAN",
      defaultValue = "10s",
      description = "How long the stop waits for messages under way. Default: ${DEFAULT-VALUE}.")
  private String drain = "";

  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile int exitCode = ExitCode.FAILED;

  @Override
  public Integer call() throws InterruptedException {
    // The table shows the state of connections; lines of the log would break it.
    System.setProperty("logback.configurationFile", "dev/reprise/cli/quiet-logback.xml");
    DevicePlan plan = plan();
    Thread stopper = new Thread(() -> stopped(plan), "reprise-stop");
    Runtime.getRuntime().addShutdownHook(stopper);
    try {
      exitCode = run(plan);
      terminal().flush();
    } finally {
      ended.countDown();
      if (stop.getCount() > 0) {
        Runtime.getRuntime().removeShutdownHook(stopper);
      }
    }
    return exitCode;
  }

  /** Runs when the process is stopped, and ends it when the sum is printed. */
  private void stopped(DevicePlan plan) {
    stop.countDown();
    try {
      boolean unused =
          ended.await(plan.drain().toMillis() + MAX_CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(exitCode);
  }

  private DevicePlan plan() {
    try {
      return new DevicePlan(
          hub(),
          tls(),
          name,
          count,
          rate,
          size,
          span("--ramp", ramp),
          duration == null ? null : span("--duration", duration),
          span("--every", every),
          span("--drain", drain),
          queue,
          retryPolicy());
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  private URI hub() {
    String said = "URL is " + WrongUrl.shown(url) + ": ";
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      throw wrongUsage(said + "must be a URL such as mqtt://localhost:1883");
    }
    String authority = uri.getRawAuthority();
    // A port that is no number makes all of it something else than a host and a port.
    boolean wrongPort = uri.getHost() == null && authority != null && authority.contains(":");
    if (wrongPort || uri.getPort() == 0 || uri.getPort() > 65535) {
      throw wrongUsage(said + "its port must be between 1 and 65535");
    }
    if (uri.getHost() == null) {
      throw wrongUsage(said + "must be a URL such as mqtt://localhost:1883");
    }
    if (topic == null) {
      return uri;
    }
    if (uri.getScheme().toLowerCase(Locale.ROOT).startsWith("http")) {
      throw wrongUsage("--topic is for MQTT and AMQP: over HTTP, messages go to the URL itself");
    }
    String query = uri.getRawQuery();
    if (query != null && ("&" + query).contains("&to=")) {
      throw wrongUsage("--topic and ?to= exclude each other");
    }
    String to = "to=" + URLEncoder.encode(topic, StandardCharsets.UTF_8).replace("+", "%20");
    return URI.create(url + (query == null ? "?" : "&") + to);
  }

  private TlsSettings tls() {
    if ((certificate == null) != (key == null)) {
      throw wrongUsage("--cert and --key belong together: give both, or neither");
    }
    TlsSettings tls = TlsSettings.system();
    if (authorities != null) {
      tls = read("--ca", authorities, tls::trusting);
    }
    if (certificate != null && key != null) {
      Path keyFile = key;
      TlsSettings trusting = tls;
      tls = read("--cert", certificate, file -> trusting.identifiedBy(file, keyFile));
    }
    return tls;
  }

  private interface TlsFile {
    TlsSettings read(Path file) throws IOException;
  }

  private TlsSettings read(String option, Path file, TlsFile reader) {
    try {
      return reader.read(file);
    } catch (IOException e) {
      throw wrongUsage(option + ": " + InputFile.reason(file.toString(), e));
    } catch (IllegalArgumentException e) {
      throw wrongUsage(option + ": " + e.getMessage());
    }
  }

  private @Nullable RetryPolicy retryPolicy() {
    if (policy == null) {
      return null;
    }
    Policy document = PolicyArgument.of(policy, terminal()).read(PolicyDocuments::read);
    return RetryPolicies.of(document);
  }

  private Duration span(String option, String text) {
    Duration span = DurationText.read(text);
    if (span == null) {
      throw wrongUsage(option + " is " + text + ": must be a span such as 500ms, 30s or 10m");
    }
    return span;
  }

  private int run(DevicePlan plan) throws InterruptedException {
    try {
      return new DeviceRun(terminal(), json(), plan, stop).run();
    } catch (IllegalArgumentException e) {
      throw wrongUsage("URL is " + plan.shownHub() + ": " + e.getMessage());
    } catch (IOException e) {
      throw CommandFailure.failed(
          "--queue " + plan.queue() + " cannot be used: " + folderReason(e));
    }
  }

  /** The message of most of these is the path and nothing else. */
  private static String folderReason(IOException e) {
    if (e instanceof AccessDeniedException denied) {
      return denied.getFile() + " may not be written";
    }
    if (e instanceof FileAlreadyExistsException file) {
      return file.getFile() + " is no folder";
    }
    if (e instanceof NoSuchFileException missing) {
      return missing.getFile() + " cannot be made there";
    }
    return String.valueOf(e.getMessage());
  }
}
