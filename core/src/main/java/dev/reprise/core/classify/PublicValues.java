package dev.reprise.core.classify;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/**
 * Reads values of objects whose classes are known by name only. Public methods of public types are
 * called, and no others; whatever goes wrong, there is no value.
 */
final class PublicValues {
  private static final int UNREADABLE = -1;

  private PublicValues() {}

  /** Returns what the methods return, each called on what the one before returned, or null. */
  static @Nullable Object of(Object target, String... methods) {
    Object value = target;
    for (String name : methods) {
      value = value == null ? null : call(value, name, null);
    }
    return value;
  }

  /** Returns the number that the methods return, or -1. */
  static int number(Object target, String... methods) {
    return of(target, methods) instanceof Number number ? number.intValue() : UNREADABLE;
  }

  /** Returns the text that the methods return, or null. */
  static @Nullable String text(Object target, String... methods) {
    return of(target, methods) instanceof String text ? text : null;
  }

  /** Returns true when a method that is given a text returns true. */
  static boolean saysYes(Object target, String method, String argument) {
    return Boolean.TRUE.equals(call(target, method, argument));
  }

  private static @Nullable Object call(Object target, String name, @Nullable String argument) {
    try {
      Method method = find(target.getClass(), name, argument);
      if (method == null) {
        return null;
      }
      return argument == null ? method.invoke(target) : method.invoke(target, argument);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError unreadable) {
      return null;
    }
  }

  /** Finds the method where it may be called: in a public class, or an interface of the others. */
  private static @Nullable Method find(Class<?> type, String name, @Nullable String argument) {
    for (Class<?> at = type; at != null; at = at.getSuperclass()) {
      Method declared = declaredIn(at, name, argument);
      if (declared != null) {
        return declared;
      }
      for (Class<?> implemented : at.getInterfaces()) {
        Method inherited = find(implemented, name, argument);
        if (inherited != null) {
          return inherited;
        }
      }
    }
    return null;
  }

  private static @Nullable Method declaredIn(
      Class<?> type, String name, @Nullable String argument) {
    if (!Modifier.isPublic(type.getModifiers())) {
      return null;
    }
    try {
      return argument == null ? type.getMethod(name) : type.getMethod(name, String.class);
    } catch (NoSuchMethodException elsewhere) {
      return null;
    }
  }
}
