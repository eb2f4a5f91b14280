package dev.reprise.bench.smithy;

import dev.reprise.smithy.GeneratedErrors;
import dev.reprise.smithy.RetryErrors;
import dev.reprise.smithy.RetryErrorsSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Collectors;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.loader.ModelAssembler;
import software.amazon.smithy.model.traits.ErrorTrait;
import software.amazon.smithy.model.validation.Severity;
import software.amazon.smithy.model.validation.ValidatedResult;
import software.amazon.smithy.model.validation.ValidationEvent;

/**
 * The result of one model.
 *
 * @param name the file's
 * @param errors how many exceptions were generated
 * @param types how many types that their members need
 * @param companions how many classes that read responses
 * @param notes how many notes for the model's owner
 * @param loadSeconds to read and check the model
 * @param generateSeconds to write the sources, in memory
 * @param compileSeconds to compile them
 * @param failure why it failed, in lines; empty when it did not
 */
record ModelRun(
    String name,
    int errors,
    int types,
    int companions,
    int notes,
    double loadSeconds,
    double generateSeconds,
    double compileSeconds,
    String failure) {
  private static final double NANOS_PER_SECOND = 1e9;

  static ModelRun of(Path file, WarningFreeCompiler compiler) {
    String name = file.getFileName().toString();
    long start = System.nanoTime();
    ValidatedResult<Model> read =
        Model.assembler()
            .putProperty(ModelAssembler.ALLOW_UNKNOWN_TRAITS, true)
            .addImport(file)
            .assemble();
    long loaded = System.nanoTime();
    String problems =
        read.getValidationEvents(Severity.ERROR).stream()
            .map(ValidationEvent::toString)
            .collect(Collectors.joining("\n"));
    double loadSeconds = seconds(start, loaded);
    if (!problems.isEmpty() || read.getResult().isEmpty()) {
      return failed(name, loadSeconds, "the model has errors:\n" + problems);
    }
    Model model = read.getResult().get();
    GeneratedErrors generated;
    try {
      generated = RetryErrors.generate(model, RetryErrorsSettings.defaults());
    } catch (RuntimeException e) {
      // One model that fails must not hide the others.
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      return failed(name, loadSeconds, trace.toString());
    }
    long written = System.nanoTime();
    int there = model.getShapesWithTrait(ErrorTrait.class).size();
    String missing =
        generated.errors() == there
            ? ""
            : there + " errors in the model, " + generated.errors() + " generated\n";
    String warnings = compiler.compile(generated.files());
    return new ModelRun(
        name,
        generated.errors(),
        generated.types(),
        generated.companions().size(),
        generated.notes().size(),
        loadSeconds,
        seconds(loaded, written),
        seconds(written, System.nanoTime()),
        missing + warnings);
  }

  private static ModelRun failed(String name, double loadSeconds, String failure) {
    return new ModelRun(name, 0, 0, 0, 0, loadSeconds, 0, 0, failure);
  }

  private static double seconds(long startNanos, long endNanos) {
    return (endNanos - startNanos) / NANOS_PER_SECOND;
  }
}
