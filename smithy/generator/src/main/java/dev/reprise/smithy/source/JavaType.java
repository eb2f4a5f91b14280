package dev.reprise.smithy.source;

import java.util.List;

/**
 * A type as it is written in a signature. Immutable.
 *
 * @param packageName its package; empty for primitive types
 * @param name its simple name
 * @param arguments its type arguments
 */
public record JavaType(String packageName, String name, List<JavaType> arguments) {
  /** Makes the arguments unchangeable. */
  public JavaType {
    arguments = List.copyOf(arguments);
  }

  /** Returns the type of a class of the JDK or of core. */
  public static JavaType of(Class<?> type, JavaType... arguments) {
    return new JavaType(
        type.isPrimitive() ? "" : type.getPackageName(), type.getSimpleName(), List.of(arguments));
  }

  /** Returns the type of a class in a package. */
  public static JavaType of(String packageName, String name) {
    return new JavaType(packageName, name, List.of());
  }

  /** Returns the type that type arguments and nulls need: that of int is {@link Integer}. */
  public JavaType boxed() {
    return switch (name) {
      case "boolean" -> of(Boolean.class);
      case "byte" -> of(Byte.class);
      case "short" -> of(Short.class);
      case "int" -> of(Integer.class);
      case "long" -> of(Long.class);
      case "float" -> of(Float.class);
      case "double" -> of(Double.class);
      default -> this;
    };
  }

  /** Returns true for int and the like. */
  public boolean isPrimitive() {
    return packageName.isEmpty();
  }
}
