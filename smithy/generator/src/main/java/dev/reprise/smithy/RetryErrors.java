package dev.reprise.smithy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.RetrySafety;
import dev.reprise.smithy.generate.ErrorFacts;
import dev.reprise.smithy.generate.ErrorShapes;
import dev.reprise.smithy.generate.SourceFiles;
import dev.reprise.smithy.names.JavaWords;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.shapes.ServiceShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.shapes.ShapeId;
import software.amazon.smithy.model.shapes.StructureShape;

/** Generates the exceptions of a model. Stateless and thread-safe. */
public final class RetryErrors {
  private static final Pattern THROTTLE =
      Pattern.compile("(?i)throttl|toomanyrequests|slowdown|throughputexceeded|requestlimit");
  private static final String NEVER_RETRIED = ": clients will never retry it; ";

  private RetryErrors() {}

  /**
   * Generates an exception for each error of the model, the types that its members need, and for
   * each service what turns a response into the right exception. The same model and settings give
   * the same files, byte for byte.
   *
   * @param model a valid model
   * @param settings what to generate, and where to
   * @throws InvalidSettingException if the settings do not fit the model
   */
  public static GeneratedErrors generate(Model model, RetryErrorsSettings settings) {
    ErrorShapes shapes = shapes(model, settings.service());
    if (shapes.errors().isEmpty()) {
      List<String> note = List.of("no shape has @error: nothing was generated");
      return new GeneratedErrors(new TreeMap<>(), 0, 0, List.of(), note);
    }
    SourceFiles files = SourceFiles.of(shapes, packageName(shapes, settings));
    return new GeneratedErrors(
        files.texts(),
        shapes.errors().size(),
        shapes.types().size(),
        files.companions(),
        notes(shapes, files));
  }

  private static ErrorShapes shapes(Model model, @Nullable ShapeId service) {
    if (service == null) {
      return ErrorShapes.of(model);
    }
    return model
        .getShape(service)
        .flatMap(Shape::asServiceShape)
        .map(known -> ErrorShapes.of(model, known))
        .orElseThrow(
            () ->
                new InvalidSettingException(
                    "service",
                    '"' + service.toString() + '"',
                    "must be a service of the model, which has " + servicesOf(model)));
  }

  private static String servicesOf(Model model) {
    String known =
        model
            .shapes(ServiceShape.class)
            .map(service -> service.getId().toString())
            .sorted()
            .collect(Collectors.joining(", "));
    return known.isEmpty() ? "none" : known;
  }

  private static String packageName(ErrorShapes shapes, RetryErrorsSettings settings) {
    if (settings.packageName() != null) {
      return settings.packageName();
    }
    ServiceShape service = shapes.onlyService();
    SortedSet<String> namespaces =
        (service == null ? shapes.errors().stream() : Stream.of(service))
            .map(shape -> shape.getId().getNamespace())
            .collect(Collectors.toCollection(TreeSet::new));
    if (namespaces.size() > 1) {
      throw new InvalidSettingException(
          "package",
          "missing",
          "it must be set, for the errors are in several namespaces, "
              + String.join(", ", namespaces));
    }
    String name = namespaces.first() + ".errors";
    if (!JavaWords.isPackageName(name)) {
      throw new InvalidSettingException(
          "package", "missing", "it must be set, for " + name + " is no package name of Java");
    }
    return name;
  }

  /** Traits can be added to a model from elsewhere. */
  private static String mend(StructureShape error) {
    return "`apply " + error.getId() + " @retryable(throttling: true)` in a model file mends it";
  }

  private static List<String> notes(ErrorShapes shapes, SourceFiles files) {
    List<String> notes = new ArrayList<>();
    for (StructureShape error : shapes.errors()) {
      ErrorFacts facts = ErrorFacts.of(error);
      if (facts.contradictsItsStatus()) {
        notes.add(
            error.getId()
                + " has HTTP status "
                + facts.httpStatus()
                + " and no @retryable"
                + NEVER_RETRIED
                + mend(error));
      } else if (facts.safety() == RetrySafety.NO
          && THROTTLE.matcher(error.getId().getName()).find()) {
        notes.add(
            error.getId()
                + " sounds like a throttle and has no @retryable"
                + NEVER_RETRIED
                + mend(error));
      }
    }
    files
        .renamed()
        .forEach(
            (shape, name) ->
                notes.add(shape + " becomes the class " + name + ": its name is taken"));
    for (ServiceShape service : files.unread()) {
      notes.add(
          service.getId()
              + " gets no class that reads responses: only restJson1, awsJson1_1 and awsJson1_0"
              + " are read");
    }
    return notes;
  }
}
