package dev.reprise.cli.smithy;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.smithy.GeneratedErrors;
import dev.reprise.smithy.RetryErrors;
import dev.reprise.smithy.RetryErrorsSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import software.amazon.smithy.model.validation.ValidationEvent;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Generates the exceptions of a Smithy model without a build of Smithy's. */
@Command(
    name = "smithy",
    description = {
      "Generate Java exceptions from a Smithy model, which know whether they may be retried.",
      "Nothing is written when the model has errors. Traits that are not in the model are allowed."
          + " What was generated into the package before, and is not any more, is removed."
    },
    footer = {
      "  ./reprise smithy model/",
      "  ./reprise smithy weather.smithy --package com.example.weather -o src/main/java",
      "  ./reprise smithy model/ traits.jar --service example.weather#Weather"
    })
public final class SmithyCommand extends BaseCommand {
  private static final double NANOS_PER_SECOND = 1e9;

  @Parameters(
      paramLabel = "MODEL",
      arity = "1..*",
      description = "Files (.smithy, .json, .jar), and folders of them.")
  private List<String> models = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      description =
          "Write below this folder of Java sources. Default: retry-errors, in this folder.")
  private Path output = Path.of("retry-errors");

  @Option(
      names = "--service",
      paramLabel = "ID",
      description =
          "Only the errors of this service, such as example.weather#Weather. Default: all errors of"
              + " the model.")
  private @Nullable String service;

  @Option(
      names = "--package",
      paramLabel = "NAME",
      description = "The Java package. Default: the model's namespace and .errors.")
  private @Nullable String packageName;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "A smithy-build.json: its java-retry-errors says what --service and --package do not."
              + " Default: smithy-build.json in this folder, if there is one.")
  private @Nullable Path config;

  @Option(
      names = {"-v", "--verbose"},
      description = "Show the warnings of the model, and do not only count them.")
  private boolean verbose;

  @Override
  public Integer call() {
    long startNanos = System.nanoTime();
    SmithyConfig said = SmithyConfig.of(config, optionsSayAll());
    RetryErrorsSettings settings = settings(said);
    SmithyModel model = SmithyModel.load(models);
    if (!model.errors().isEmpty()) {
      return refused(model);
    }
    GeneratedErrors generated = generated(model, settings, said);
    GeneratedFolder folder = GeneratedFolder.write(output, generated.files());
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    if (!root().printedAsJson(json(said, model, generated, folder, seconds))) {
      print(said, model, generated, folder, seconds);
    }
    return ExitCode.DONE;
  }

  private boolean optionsSayAll() {
    return service != null && packageName != null;
  }

  private RetryErrorsSettings settings(SmithyConfig said) {
    try {
      RetryErrorsSettings written = said.settings();
      return new RetryErrorsSettings(
          service == null ? written.service() : RetryErrorsSettings.shapeId(service),
          packageName == null ? written.packageName() : packageName);
    } catch (InvalidSettingException e) {
      throw refused(e);
    }
  }

  private GeneratedErrors generated(
      SmithyModel model, RetryErrorsSettings settings, SmithyConfig said) {
    GeneratedErrors generated;
    try {
      generated = RetryErrors.generate(model.model(), settings);
    } catch (InvalidSettingException e) {
      throw saidByOptions(e.field(), said)
          ? refused(e)
          : said.failure(String.valueOf(e.getMessage()));
    }
    if (generated.errors() == 0) {
      throw CommandFailure.failed(
          "no structure with @error in " + String.join(", ", models) + ": nothing to generate");
    }
    return generated;
  }

  /** Returns whether an option sets the field. Without a file, only options can. */
  private boolean saidByOptions(String field, SmithyConfig said) {
    return (field.equals("service") && (service != null || said.file() == null))
        || (field.equals("package") && (packageName != null || said.file() == null));
  }

  private int refused(SmithyModel model) {
    if (json()) {
      ObjectNode answer = Json.object();
      problems(answer.putArray("modelErrors"), model.errors());
      Json.print(terminal(), answer);
    } else {
      model
          .errors()
          .forEach(event -> terminal().note(HarmlessText.visible(SmithyModel.line(event))));
    }
    terminal()
        .error(
            "the model has " + Words.count(model.errors().size(), "error") + ": nothing written");
    return ExitCode.FAILED;
  }

  private void print(
      SmithyConfig said,
      SmithyModel model,
      GeneratedErrors generated,
      GeneratedFolder folder,
      double seconds) {
    Terminal terminal = terminal();
    if (verbose) {
      model
          .warnings()
          .forEach(event -> terminal.note(HarmlessText.visible(SmithyModel.line(event))));
    }
    List<String> companions = generated.companions();
    terminal.line(
        String.format(
            Locale.ROOT,
            "generated %s, %s and %s%s in %s in %.1f s",
            terminal.styled(Words.count(generated.errors(), "exception"), Style.BOLD),
            Words.count(generated.types(), "type"),
            Words.count(companions.size(), "companion"),
            companions.isEmpty() ? "" : " (" + String.join(", ", companions) + ")",
            HarmlessText.visible(output.toString()),
            seconds));
    terminal.line(
        "  "
            + Words.count(folder.written().size(), "file")
            + " written, "
            + folder.unchanged()
            + " as they were");
    terminal.line("  to compile them: " + GeneratedErrors.DEPENDENCY);
    if (said.file() != null) {
      terminal.line("  settings of " + said.where());
    }
    folder.removed().forEach(file -> terminal.line("  removed, no longer in the model: " + file));
    folder.left().forEach(file -> terminal.line("  left, was not generated: " + file));
    if (!model.warnings().isEmpty() && !verbose) {
      terminal.line(
          "  "
              + Words.count(model.warnings().size(), "warning")
              + " in the model; --verbose shows them");
    }
    generated.notes().forEach(note -> terminal.paragraph("note: " + note, "  "));
    terminal.line("");
    terminal.line(companions.isEmpty() ? "Throw them, and let Retry read them:" : "Next:");
    terminal.line("  " + usage(companions));
  }

  private static String usage(List<String> companions) {
    return companions.isEmpty()
        ? "Retry.ofDefaults().call(() -> client.call());"
        : "throw "
            + companions.get(0)
            + ".read(response.statusCode(), response.headers().map(), response.body());";
  }

  private ObjectNode json(
      SmithyConfig said,
      SmithyModel model,
      GeneratedErrors generated,
      GeneratedFolder folder,
      double seconds) {
    ObjectNode answer =
        Json.object()
            .put("output", output.toString())
            .put("exceptions", generated.errors())
            .put("types", generated.types());
    generated.companions().forEach(answer.putArray("companions")::add);
    folder.written().forEach(answer.putArray("written")::add);
    answer.put("unchanged", folder.unchanged());
    folder.removed().forEach(answer.putArray("removed")::add);
    folder.left().forEach(answer.putArray("left")::add);
    generated.notes().forEach(answer.putArray("notes")::add);
    answer.put("warningCount", model.warnings().size());
    if (verbose) {
      problems(answer.putArray("warnings"), model.warnings());
    }
    answer.put("config", said.file() == null ? null : said.file().toString());
    return answer.put("seconds", Math.round(seconds * 1000) / 1000.0);
  }

  private static void problems(ArrayNode list, List<ValidationEvent> events) {
    for (ValidationEvent event : events) {
      list.addObject()
          .put("id", event.getId())
          .put("file", SmithyModel.file(event))
          .put("line", event.getSourceLocation().getLine())
          .put("column", event.getSourceLocation().getColumn())
          .put("message", event.getMessage());
    }
  }
}
