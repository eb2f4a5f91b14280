package dev.reprise.cli.base;

import dev.reprise.cli.terminal.Terminal;
import java.net.URI;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import tools.jackson.databind.JsonNode;

/** The command without a command: holds what every command may be given. */
@Command(
    name = "reprise",
    description = {
      "Delivers notifications to HTTP endpoints, phones, mailboxes, queues and functions, and tries"
          + " again when they fail.",
      ""
    },
    synopsisHeading = "Usage: ",
    customSynopsis = "reprise COMMAND [OPTIONS] ...%n",
    optionListHeading = "%nOptions of every command:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed, or some of it failed",
      "2:wrong usage",
      "3:the service cannot be reached",
      "4:not found",
      "5:the service refused the API key",
      "6:the service has failed for good: start it again",
      "7:a figure of the lab is as --fail-if says, or apply --dry-run would change something",
      "8:the data folder is damaged: restore or salvage it"
    },
    footerHeading =
        "%nA service elsewhere is asked through the proxy of $$https_proxy, $$http_proxy or"
            + " $$all_proxy, unless%n$$no_proxy has its host.%n%nTo begin:%n",
    footer = {
      "  ./reprise demo           the whole story on one terminal, in fifteen seconds",
      "  ./reprise serve --dev    a service to play with on this machine"
    })
public final class Reprise extends BaseCommand {
  public static final String DEFAULT_URL = "http://127.0.0.1:8080";

  private final Terminal terminal;

  @Option(
      names = "--url",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      order = 1,
      description = "Where the service is. Default: $$REPRISE_URL, or " + DEFAULT_URL + ".")
  private @Nullable String url;

  @Option(
      names = "--api-key",
      paramLabel = "KEY",
      scope = ScopeType.INHERIT,
      order = 2,
      description =
          "The API key. Default: $$REPRISE_KEY, which other users of this machine cannot see.")
  private @Nullable String apiKey;

  @Option(
      names = "--api-key-file",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      order = 3,
      description = "A file that holds the API key.")
  private @Nullable Path apiKeyFile;

  @Option(
      names = "--api-ca",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      order = 4,
      description =
          "A PEM file with the authority of the service's certificate, if this machine does not"
              + " know it. Default: $$REPRISE_CA.")
  private @Nullable Path ca;

  @Option(
      names = "--project",
      paramLabel = "PROJECT",
      scope = ScopeType.INHERIT,
      order = 5,
      description = "The project, if the key is an operator's. Default: $$REPRISE_PROJECT.")
  private @Nullable String project;

  @Option(
      names = "--json",
      scope = ScopeType.INHERIT,
      order = 6,
      description = "Print JSON, as the service answers it.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      order = 7,
      description = "Show the help of a command.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      order = 8,
      description = "Show the version.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean version;

  public Reprise(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    spec().commandLine().usage(terminal.out());
    return ExitCode.DONE;
  }

  @Override
  public Terminal terminal() {
    return terminal;
  }

  @Override
  public boolean json() {
    return json;
  }

  /** Prints an answer of the service when JSON was asked for; returns whether it was. */
  public boolean printedAsJson(JsonNode answer) {
    if (json) {
      Json.print(terminal, answer);
    }
    return json;
  }

  /** Prints the warnings of an answer. */
  public void warnOf(JsonNode answer) {
    answer.path("warnings").forEach(warning -> terminal.warning(warning.asString("")));
  }

  /** Returns the service, as the options and the environment name it. */
  public ApiClient client() {
    return client(project());
  }

  /** Returns the service, asked about a project; null for that of the key. */
  public ApiClient client(@Nullable String ofProject) {
    String environmentUrl = terminal.variable("REPRISE_URL");
    String said = url != null ? url : environmentUrl != null ? environmentUrl : DEFAULT_URL;
    String source = url == null && environmentUrl != null ? "REPRISE_URL" : "--url";
    String base = ApiClient.baseUrl(source, said);
    Route route = Route.to(URI.create(base), terminal::variable);
    return new ApiClient(base, key(), authority(), ofProject, route);
  }

  /** Returns the project that is named; null for that of the key. */
  public @Nullable String project() {
    String environment = terminal.variable("REPRISE_PROJECT");
    String named = project != null || environment == null ? project : environment;
    if (named == null || (project == null && named.isEmpty())) {
      return null;
    }
    if (!named.matches("[a-z0-9][a-z0-9-]*")) {
      throw CommandFailure.wrongUsage(
          (project == null ? "REPRISE_PROJECT" : "--project")
              + " is "
              + named
              + ": must be small letters, digits and -, and not begin with -");
    }
    return named;
  }

  private @Nullable SSLContext authority() {
    String environment = terminal.variable("REPRISE_CA");
    if (ca != null) {
      return Authority.read("--api-ca", ca);
    }
    return environment == null || environment.isEmpty()
        ? null
        : Authority.read("REPRISE_CA", Path.of(environment));
  }

  private @Nullable String key() {
    if (apiKey != null && apiKeyFile != null) {
      throw wrongUsage("--api-key and --api-key-file exclude each other");
    }
    if (apiKey != null) {
      return checkedKey("--api-key", apiKey);
    }
    if (apiKeyFile != null) {
      return checkedKey("--api-key-file", InputFile.text(apiKeyFile.toString()).strip());
    }
    String key = terminal.variable("REPRISE_KEY");
    return key == null ? null : checkedKey("REPRISE_KEY", key);
  }

  private static String checkedKey(String source, String key) {
    if (key.isEmpty() || !key.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw CommandFailure.wrongUsage(
          source + " holds no API key: it must be one word of visible ASCII characters");
    }
    return key;
  }
}
