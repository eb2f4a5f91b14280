package dev.reprise.server.cli.service;

import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.base.PolicyArgument;
import dev.reprise.server.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** Options for the settings of a subscription. */
final class SettingsOptions {
  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      description =
          "The subscription's own policy: " + PolicyArgument.FORMS + ". Default: the topic's.")
  private @Nullable String policy;

  @Option(
      names = "--filter",
      paramLabel = "JSON",
      description =
          "Which messages, by their attributes, such as '{\"country\": [\"DE\", \"FR\"]}'. Default:"
              + " all.")
  private @Nullable String filter;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "envelope (JSON around the body, the default) or raw (the body alone).")
  private @Nullable String format;

  @Option(
      names = "--dead-letters",
      paramLabel = "CHOICE",
      description = "keep (the default) or discard what is given up.")
  private @Nullable String deadLetters;

  @Option(
      names = "--lifetime",
      paramLabel = "SPAN",
      description =
          "How long a delivery may take, all waiting included, such as 1h. Default: for ever.")
  private @Nullable String lifetime;

  @Option(
      names = "--max-in-flight",
      paramLabel = "N",
      description = "The most attempts at the same time, 1 to 1000. Default: 64.")
  private @Nullable Integer maxInFlight;

  /** Puts what was given into the body of a request; the service checks it. */
  void writeTo(ObjectNode settings, Terminal terminal) {
    if (policy != null) {
      settings.set("policy", PolicyArgument.of(policy, terminal).subscriptionDocument());
    }
    if (filter != null) {
      settings.set("filter", Json.read("--filter", filter));
    }
    if (format != null) {
      settings.put("format", format);
    }
    if (deadLetters != null) {
      settings.put("deadLetters", deadLetters);
    }
    if (lifetime != null) {
      settings.put("lifetime", lifetime);
    }
    if (maxInFlight != null) {
      settings.put("maxInFlight", maxInFlight);
    }
  }
}
