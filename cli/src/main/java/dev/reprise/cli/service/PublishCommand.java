package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.ReceiptDocument;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Publishes one message, or one for each line of the input. */
@Command(
    name = "publish",
    description = {
      "Publish a message, or one for each line of the input.",
      "A BODY or file that is JSON is delivered as JSON, other text as text/plain, anything else as"
          + " bytes. With -, or with neither BODY nor --file and an input from a pipe, each line of"
          + " the input is one JSON body; lines that cannot be published are named, the others go"
          + " on."
    },
    footer = {
      "  ./reprise publish orders '{\"type\": \"order.created\", \"id\": 1001}'",
      "  ./reprise publish orders --file invoice.json --attribute country=DE --key invoice-77",
      "  ./reprise publish orders - --key-field id < orders.ndjson"
    })
public final class PublishCommand extends BaseCommand {
  @Parameters(index = "0", paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "BODY",
      description = "The body to deliver; - for one message per line of the input.")
  private @Nullable String body;

  @Option(names = "--file", paramLabel = "FILE", description = "The file to deliver.")
  private @Nullable String file;

  @Option(
      names = "--attribute",
      paramLabel = "NAME=VALUE",
      description =
          "An attribute that filters can look at: a number, true, a [\"list\"], or text. May be"
              + " repeated.")
  private List<String> attributes = List.of();

  @Option(
      names = "--bodies",
      paramLabel = "JSON",
      description =
          "Other bodies for single protocols, such as '{\"sms\": \"shipped\", \"email\":"
              + " {\"subject\": \"Shipped\", \"text\": \"…\"}}'.")
  private @Nullable String bodies;

  @Option(
      names = "--content-type",
      paramLabel = "TYPE",
      description = "The content type of the body, such as text/csv.")
  private @Nullable String contentType;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description =
          "The idempotency key: publishing again with it changes nothing. For lines, each line's is"
              + " KEY:LINE-NUMBER.")
  private @Nullable String key;

  @Option(
      names = "--key-field",
      paramLabel = "NAME",
      description = "For lines: the field of each that holds its idempotency key.")
  private @Nullable String keyField;

  @Override
  public Integer call() {
    boolean lines =
        "-".equals(body) || (body == null && file == null && !terminal().interactiveIn());
    checkUsage(lines);
    String path = ApiClient.path("/v1/topics", topic, "messages");
    if (lines) {
      LineFormat format = new LineFormat(attributeValues(), contentType, key, keyField);
      return new LinePublisher(root(), path, format).run();
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", ApiClient.JSON);
    if (key != null) {
      headers.put("Idempotency-Key", checkedKey(key));
    }
    JsonNode receipt = root().client().send("POST", path, headers, message(), "messageId");
    if (!root().printedAsJson(receipt)) {
      print(Json.document(receipt, ReceiptDocument.class));
    }
    return ExitCode.DONE;
  }

  private void checkUsage(boolean lines) {
    if (body != null && file != null) {
      throw wrongUsage("BODY and --file exclude each other");
    }
    if (body == null && file == null && !lines) {
      throw wrongUsage("what is to be published? Give BODY, --file, or - and lines of JSON");
    }
    if (bodies != null && lines) {
      throw wrongUsage("--bodies is for one message: give BODY or --file");
    }
    if (keyField != null && (!lines || key != null)) {
      throw wrongUsage(
          lines
              ? "--key and --key-field exclude each other"
              : "--key-field is for lines of the input: use --key");
    }
  }

  private void print(ReceiptDocument receipt) {
    terminal()
        .line(
            "message "
                + HarmlessText.visible(receipt.messageId())
                + ": "
                + Words.count(receipt.deliveries(), "delivery")
                + (receipt.repeated() ? ", published before with this key" : ""));
    if (receipt.deliveries() == 0 && !receipt.repeated()) {
      terminal().note("No subscription of the topic wants it.");
    }
  }

  /** Returns the request; a JSON body is in it byte for byte, so that it is delivered so. */
  private String message() {
    String text;
    ObjectNode rest = Json.object();
    if (file == null) {
      text = body == null ? "" : body;
    } else {
      byte[] bytes = InputFile.bytes(file);
      String decoded = InputFile.utf8(bytes);
      if (decoded == null) {
        rest.put("bodyBase64", Base64.getEncoder().encodeToString(bytes));
      }
      text = decoded == null ? "" : decoded;
    }
    String raw = null;
    if (!rest.has("bodyBase64")) {
      raw = contentType == null ? jsonOrNull(text) : null;
      if (raw == null) {
        rest.put("body", text);
      }
    }
    if (contentType != null) {
      rest.put("contentType", contentType);
    }
    if (bodies != null) {
      rest.set("bodies", Json.read("--bodies", bodies));
    }
    return LineFormat.join(raw, rest, attributeValues());
  }

  private @Nullable String jsonOrNull(String text) {
    String fault = Json.fault(text);
    if (fault == null) {
      JsonNode node = Json.tryRead(text);
      // A JSON string or null is no body of its own: the text is delivered as it stands.
      return node == null || node.isString() || node.isNull() ? null : text.strip();
    }
    String start = text.stripLeading();
    boolean meantAsJson =
        start.startsWith("{") || start.startsWith("[") || (file != null && file.endsWith(".json"));
    if (meantAsJson) {
      throw CommandFailure.wrongUsage(
          (file == null ? "BODY" : file)
              + " is not JSON: "
              + fault
              + ". If it is not meant to be, say what it is: --content-type text/plain");
    }
    return null;
  }

  private ObjectNode attributeValues() {
    ObjectNode values = Json.object();
    for (String attribute : attributes) {
      int equals = attribute.indexOf('=');
      if (equals < 1) {
        throw wrongUsage("--attribute is " + attribute + ": must be NAME=VALUE");
      }
      String name = attribute.substring(0, equals);
      String value = attribute.substring(equals + 1);
      if (values.has(name)) {
        throw wrongUsage("--attribute " + name + " is given twice");
      }
      JsonNode node = Json.tryRead(value);
      boolean typed =
          node != null
              && (node.isNumber() || node.isBoolean() || node.isArray() || node.isString());
      if (node != null && typed) {
        values.set(name, node);
      } else {
        values.put(name, value);
      }
    }
    return values;
  }

  static String checkedKey(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    if (bytes.length < 1 || bytes.length > 256 || !key.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw CommandFailure.wrongUsage(
          "the idempotency key is "
              + Words.shortened(key, 40)
              + ": must be 1 to 256 visible ASCII characters");
    }
    return key;
  }
}
