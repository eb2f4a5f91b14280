package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Options for the settings of a carrier. */
final class CarrierOptions {
  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description =
          "A setting of its type: text, a number, true, or a [\"list\"]; empty removes it. May be"
              + " repeated. service/endpoints/README.md lists the settings of each type.")
  private List<String> settings = List.of();

  @Option(
      names = "--secret",
      paramLabel = "NAME=FILE",
      description =
          "A setting that is secret, such as a password: the first line of the file, or of the"
              + " standard input for -. May be repeated.")
  private List<String> secrets = List.of();

  @Option(
      names = "--max-in-flight",
      paramLabel = "N",
      description = "The most attempts at the same time through it.")
  private @Nullable Integer maxInFlight;

  @Option(
      names = "--max-per-second",
      paramLabel = "N",
      description = "Rate limit: the most attempts per second through it; 0 for no limit.")
  private @Nullable Integer maxPerSecond;

  @Option(
      names = "--unchecked",
      description = "Keep the settings although the carrier cannot be used with them now.")
  private boolean unchecked;

  String path(String path) {
    return unchecked ? ApiClient.withQuery(path, Map.of("unchecked", "true")) : path;
  }

  /** Puts what was given into the body of a request; the service checks it. */
  void writeTo(ObjectNode carrier, Terminal terminal) {
    if (maxInFlight != null) {
      carrier.put("maxInFlight", maxInFlight);
    }
    if (maxPerSecond != null) {
      carrier.put("maxPerSecond", maxPerSecond);
    }
    ObjectNode values = Json.object();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      if (equals < 1) {
        throw CommandFailure.wrongUsage("--set is " + setting + ": must be NAME=VALUE");
      }
      values.set(setting.substring(0, equals), value(setting.substring(equals + 1)));
    }
    for (String secret : secrets) {
      SecretOption option = SecretOption.of("--secret", secret, terminal);
      values.put(option.name(), option.text());
    }
    if (!values.isEmpty()) {
      carrier.set("settings", values);
    }
  }

  private static JsonNode value(String text) {
    JsonNode node = Json.tryRead(text);
    boolean typed =
        node != null && (node.isNumber() || node.isBoolean() || node.isArray() || node.isObject());
    if (text.isEmpty()) {
      return Json.object().nullNode();
    }
    return node != null && typed ? node : Json.object().stringNode(text);
  }
}
