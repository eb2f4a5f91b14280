package dev.reprise.cli.smithy;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.terminal.Words;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.SourceException;
import software.amazon.smithy.model.SourceLocation;
import software.amazon.smithy.model.loader.ModelAssembler;
import software.amazon.smithy.model.loader.ModelImportException;
import software.amazon.smithy.model.loader.ModelManifestException;
import software.amazon.smithy.model.validation.Severity;
import software.amazon.smithy.model.validation.ValidatedResult;
import software.amazon.smithy.model.validation.ValidationEvent;

/**
 * A model as the arguments of a command name it.
 *
 * @param model what could be read; without meaning when there are errors
 * @param errors what makes the model useless, in the order of its files
 * @param warnings what may be wrong with it; Smithy's dangers are among them, as some of them come
 *     from traits alone that are not there
 */
record SmithyModel(Model model, List<ValidationEvent> errors, List<ValidationEvent> warnings) {
  private static final List<String> ENDINGS = List.of(".smithy", ".json", ".jar");

  /**
   * Reads files and folders as one model.
   *
   * @throws CommandFailure when one of them cannot be read
   */
  static SmithyModel load(List<String> names) {
    ModelAssembler assembler =
        Model.assembler().putProperty(ModelAssembler.ALLOW_UNKNOWN_TRAITS, true);
    try {
      names.forEach(name -> assembler.addImport(path(name)));
      return of(assembler.assemble());
    } catch (ModelImportException | ModelManifestException | SourceException e) {
      throw CommandFailure.failed(Words.firstLine(e));
    }
  }

  private static SmithyModel of(ValidatedResult<Model> read) {
    Comparator<ValidationEvent> order =
        Comparator.comparing(ValidationEvent::getSourceLocation)
            .thenComparing(ValidationEvent::getMessage);
    List<ValidationEvent> events = read.getValidationEvents().stream().sorted(order).toList();
    List<ValidationEvent> errors =
        events.stream().filter(event -> event.getSeverity() == Severity.ERROR).toList();
    List<ValidationEvent> warnings =
        events.stream()
            .filter(
                event ->
                    event.getSeverity() == Severity.WARNING
                        || event.getSeverity() == Severity.DANGER)
            .toList();
    return new SmithyModel(
        read.getResult().orElseGet(() -> Model.builder().build()), errors, warnings);
  }

  private static Path path(String name) {
    Path path;
    try {
      path = Path.of(name);
    } catch (InvalidPathException e) {
      throw CommandFailure.wrongUsage(InputFile.reason(name, e));
    }
    if (!Files.exists(path)) {
      throw CommandFailure.wrongUsage("there is no file " + name);
    }
    if (!Files.isReadable(path)) {
      throw CommandFailure.wrongUsage(name + " may not be read");
    }
    if (!Files.isDirectory(path) && ENDINGS.stream().noneMatch(name::endsWith)) {
      throw CommandFailure.wrongUsage(
          name + " is no model: must be a folder, or end with " + String.join(", ", ENDINGS));
    }
    return path;
  }

  /** Returns an event as compilers show theirs: where, how bad, what. */
  static String line(ValidationEvent event) {
    SourceLocation where = event.getSourceLocation();
    return file(event)
        + ":"
        + where.getLine()
        + ":"
        + where.getColumn()
        + ": "
        + (event.getSeverity() == Severity.ERROR ? "error: " : "warning: ")
        + event.getMessage().strip()
        + " ["
        + event.getId()
        + "]";
  }

  /** Returns the file of an event, seen from the working folder when it is below. */
  static String file(ValidationEvent event) {
    String file = event.getSourceLocation().getFilename();
    String here = Path.of("").toAbsolutePath() + "/";
    return file.startsWith(here) ? file.substring(here.length()) : file;
  }
}
