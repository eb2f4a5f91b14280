package dev.reprise.smithy.generate;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.knowledge.EventStreamIndex;
import software.amazon.smithy.model.knowledge.OperationIndex;
import software.amazon.smithy.model.knowledge.TopDownIndex;
import software.amazon.smithy.model.loader.Prelude;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.OperationShape;
import software.amazon.smithy.model.shapes.ServiceShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.shapes.StructureShape;
import software.amazon.smithy.model.traits.ErrorTrait;
import software.amazon.smithy.model.traits.MixinTrait;

/**
 * The shapes of a model that become classes: its errors, and what their members need. In the order
 * of their ids. Immutable.
 *
 * @param model the model
 * @param services whose responses are read
 * @param errors the shapes with {@code @error}
 * @param types the structures, unions and enums that the errors' members refer to
 */
public record ErrorShapes(
    Model model, List<ServiceShape> services, List<StructureShape> errors, List<Shape> types) {
  /** Makes the lists unchangeable. */
  public ErrorShapes {
    services = List.copyOf(services);
    errors = List.copyOf(errors);
    types = List.copyOf(types);
  }

  /** Returns all errors of a model, and all its services. */
  public static ErrorShapes of(Model model) {
    SortedSet<StructureShape> errors =
        model.getStructureShapesWithTrait(ErrorTrait.class).stream()
            .filter(error -> !Prelude.isPreludeShape(error) && !error.hasTrait(MixinTrait.class))
            .collect(Collectors.toCollection(TreeSet::new));
    return of(model, model.shapes(ServiceShape.class).sorted().toList(), errors);
  }

  /** Returns the errors of one service. */
  public static ErrorShapes of(Model model, ServiceShape service) {
    return of(model, List.of(service), errorsOf(model, service));
  }

  private static ErrorShapes of(
      Model model, List<ServiceShape> services, SortedSet<StructureShape> errors) {
    List<Shape> types =
        reachedFrom(model, errors).stream()
            .filter(type -> !type.hasTrait(ErrorTrait.class))
            .toList();
    return new ErrorShapes(model, services, List.copyOf(errors), types);
  }

  /** Returns the errors that a service's operations may answer with, in the order of their ids. */
  static SortedSet<StructureShape> errorsOf(Model model, ServiceShape service) {
    OperationIndex operations = OperationIndex.of(model);
    SortedSet<StructureShape> errors = new TreeSet<>(operations.getErrors(service));
    for (OperationShape operation : TopDownIndex.of(model).getContainedOperations(service)) {
      errors.addAll(operations.getErrors(service, operation));
      errors.addAll(errorsInStreams(model, operation));
    }
    return errors;
  }

  /** Returns the errors that are members of an operation's event streams. */
  private static List<StructureShape> errorsInStreams(Model model, OperationShape operation) {
    EventStreamIndex streams = EventStreamIndex.of(model);
    return Stream.of(streams.getInputInfo(operation), streams.getOutputInfo(operation))
        .flatMap(Optional::stream)
        .flatMap(stream -> stream.getEventStreamTarget().members().stream())
        .map(member -> model.expectShape(member.getTarget()))
        .filter(target -> target.hasTrait(ErrorTrait.class))
        .flatMap(target -> target.asStructureShape().stream())
        .toList();
  }

  /** Returns the shapes that become classes and that the errors' members refer to, errors too. */
  static SortedSet<Shape> reachedFrom(Model model, Collection<StructureShape> errors) {
    return targetsFrom(model, errors).stream()
        .map(JavaTypes::asEnum)
        .filter(JavaTypes::isClass)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<Shape> targetsFrom(Model model, Collection<StructureShape> errors) {
    Set<Shape> targets = new LinkedHashSet<>();
    Deque<Shape> waiting = new ArrayDeque<>(errors);
    while (!waiting.isEmpty()) {
      for (MemberShape member : waiting.remove().members()) {
        Shape target = model.expectShape(member.getTarget());
        if (targets.add(target)) {
          waiting.add(target);
        }
      }
    }
    return targets;
  }

  /** Returns the one service, or null if there is none or several. */
  public @Nullable ServiceShape onlyService() {
    return services.size() == 1 ? services.get(0) : null;
  }
}
