package dev.reprise.smithy.names;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.shapes.ServiceShape;
import software.amazon.smithy.model.shapes.ShapeId;

/**
 * The class of each shape, in one package. No two names differ in case only, for there are file
 * systems that take those for the same file. Which name a shape gets does not depend on the order
 * of the shapes. Immutable.
 */
public final class TypeNames {
  private static final String SUFFIX = "Shape";

  private final Map<ShapeId, String> names;

  private TypeNames(Map<ShapeId, String> names) {
    this.names = Map.copyOf(names);
  }

  /**
   * Names the shapes.
   *
   * @param shapes what becomes a class
   * @param service the service whose renames count, or null
   * @param taken the names of classes that are generated whatever the model
   */
  public static TypeNames of(
      Collection<ShapeId> shapes, @Nullable ServiceShape service, Collection<String> taken) {
    Set<String> reserved = new HashSet<>(lowerCase(JavaLang.NAMES));
    reserved.addAll(lowerCase(taken));
    Map<ShapeId, String> names = new HashMap<>();
    for (Map.Entry<String, List<ShapeId>> same : bySpelling(shapes, service).entrySet()) {
      boolean alone = same.getValue().size() == 1;
      for (ShapeId shape : same.getValue()) {
        String name = spelled(shape, service);
        names.put(shape, alone || isAtHome(shape, service) ? name : namespaceOf(shape) + name);
      }
    }
    return new TypeNames(withoutCollisions(names, reserved));
  }

  /** Returns whether a shape is in the service's own namespace, and so keeps its name. */
  private static boolean isAtHome(ShapeId shape, @Nullable ServiceShape service) {
    return service != null && service.getId().getNamespace().equals(shape.getNamespace());
  }

  private static Map<String, List<ShapeId>> bySpelling(
      Collection<ShapeId> shapes, @Nullable ServiceShape service) {
    return new TreeSet<>(shapes)
        .stream()
            .collect(
                Collectors.groupingBy(
                    shape -> spelled(shape, service).toLowerCase(Locale.ROOT),
                    TreeMap::new,
                    Collectors.toList()));
  }

  /** Numbers, in the order of the shapes' ids, what is the same even with its namespace. */
  private static Map<ShapeId, String> withoutCollisions(
      Map<ShapeId, String> wanted, Set<String> reserved) {
    Map<ShapeId, String> names = new HashMap<>();
    Set<String> taken = new HashSet<>(reserved);
    for (Map.Entry<ShapeId, String> entry : new TreeMap<>(wanted).entrySet()) {
      String name = entry.getValue();
      if (reserved.contains(name.toLowerCase(Locale.ROOT))) {
        name += SUFFIX;
      }
      String free = name;
      for (int i = 2; !taken.add(free.toLowerCase(Locale.ROOT)); i++) {
        free = name + i;
      }
      names.put(entry.getKey(), free);
    }
    return names;
  }

  private static String spelled(ShapeId shape, @Nullable ServiceShape service) {
    return JavaWords.typeName(service == null ? shape.getName() : shape.getName(service));
  }

  /**
   * {@code com.example.orders} becomes {@code ComExampleOrders}: its last part may be a version.
   */
  private static String namespaceOf(ShapeId shape) {
    return Arrays.stream(shape.getNamespace().split("\\.", -1))
        .map(JavaWords::typeName)
        .collect(Collectors.joining());
  }

  private static Set<String> lowerCase(Collection<String> names) {
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  /**
   * Returns the name of a shape's class.
   *
   * @throws IllegalArgumentException if the shape is not among those named
   */
  public String of(ShapeId shape) {
    String name = names.get(shape);
    if (name == null) {
      throw new IllegalArgumentException(shape + " has no class");
    }
    return name;
  }

  /** Returns whether a shape's class has the shape's name. */
  public boolean keeps(ShapeId shape, @Nullable ServiceShape service) {
    return of(shape).equals(spelled(shape, service));
  }

  /** Returns all names. */
  public Set<String> all() {
    return new TreeSet<>(names.values());
  }

  /**
   * Returns the name of the class that reads each service's responses: {@code WeatherHttpErrors}.
   * Services of one name get their namespaces in front.
   */
  public static Map<ShapeId, String> companions(Collection<ServiceShape> services) {
    TypeNames names = of(services.stream().map(ServiceShape::getId).toList(), null, Set.of());
    Map<ShapeId, String> companions = new TreeMap<>();
    services.forEach(
        service -> companions.put(service.getId(), names.of(service.getId()) + "HttpErrors"));
    return companions;
  }
}
