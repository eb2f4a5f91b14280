package dev.reprise.cli.service;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.base.PolicyArgument;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.common.text.HarmlessText;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Options for the settings of a subscription. */
final class SettingsOptions {
  @Option(
      names = "--carrier",
      paramLabel = "NAME",
      description = "The carrier that reaches the endpoint; for a URL, a forward proxy.")
  private @Nullable String carrier;

  @Option(
      names = "--http",
      paramLabel = "JSON",
      description =
          "What an endpoint that is a URL asks for, such as '{\"headers\": {\"X-Tenant\":"
              + " \"blue\"}}'; fields with secrets are better given by --http-secret.")
  private @Nullable String http;

  @Option(
      names = "--http-secret",
      paramLabel = "NAME=FILE",
      description =
          "A field of --http that is secret: token, password, clientSecret, privateKey or"
              + " signingSecret; what the file holds, or the standard input for -. May be"
              + " repeated.")
  private List<String> httpSecrets = List.of();

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
      description =
          "envelope (JSON around the body, the default), raw (the body alone), cloudevents or"
              + " cloudevents-structured.")
  private @Nullable String format;

  @Option(
      names = "--dead-letters",
      paramLabel = "CHOICE",
      description = "keep (the default) or discard what is given up.")
  private @Nullable String deadLetters;

  @Option(
      names = "--dead-letter-target",
      paramLabel = "SUBSCRIPTION",
      description = "The subscription that gets what is given up, as messages of its own.")
  private @Nullable String deadLetterTarget;

  @Option(
      names = "--suspend-when-gone",
      description = "Suspend the subscription when its endpoint answers 410.")
  private boolean suspendWhenGone;

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

  @Option(
      names = "--name",
      paramLabel = "TEXT",
      description =
          "A name for people, up to 100 characters. Never a secret, as --label and --customer.")
  private @Nullable String name;

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description =
          "A label, by which lists are filtered. May be repeated, up to 20 times. An update"
              + " replaces all labels.")
  private List<String> labels = List.of();

  @Option(
      names = "--customer",
      paramLabel = "ID",
      description = "The id of your customer whose endpoint it is, up to 200 characters.")
  private @Nullable String customer;

  /** Puts what was given into the body of a request; the service checks it. */
  void writeTo(ObjectNode settings, Terminal terminal) {
    if (carrier != null) {
      settings.put("carrier", carrier);
    }
    writeHttp(settings, terminal);
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
    if (deadLetterTarget != null) {
      settings.put("deadLetterTarget", deadLetterTarget);
    }
    if (suspendWhenGone) {
      settings.put("suspendWhenGone", true);
    }
    if (lifetime != null) {
      settings.put("lifetime", lifetime);
    }
    if (maxInFlight != null) {
      settings.put("maxInFlight", maxInFlight);
    }
    if (name != null) {
      settings.put("name", name);
    }
    writeLabels(settings);
    if (customer != null) {
      settings.put("customer", customer);
    }
  }

  private void writeLabels(ObjectNode settings) {
    ObjectNode pairs = Json.object();
    for (String label : labels) {
      int sign = label.indexOf('=');
      if (sign < 0) {
        throw CommandFailure.wrongUsage(
            "--label is " + HarmlessText.visible(label) + ": must be KEY=VALUE");
      }
      String key = label.substring(0, sign);
      if (pairs.has(key)) {
        throw CommandFailure.wrongUsage(
            "--label is " + HarmlessText.visible(label) + ": its key is given twice");
      }
      pairs.put(key, label.substring(sign + 1));
    }
    if (!pairs.isEmpty()) {
      settings.set("labels", pairs);
    }
  }

  private void writeHttp(ObjectNode settings, Terminal terminal) {
    JsonNode given = http == null ? Json.object() : Json.read("--http", http);
    for (String secret : httpSecrets) {
      SecretOption option = SecretOption.of("--http-secret", secret, terminal);
      if (!(given instanceof ObjectNode fields)) {
        throw CommandFailure.wrongUsage("--http must be an object");
      }
      fields.put(option.name(), option.text());
    }
    if (http != null || !httpSecrets.isEmpty()) {
      settings.set("http", given);
    }
  }
}
