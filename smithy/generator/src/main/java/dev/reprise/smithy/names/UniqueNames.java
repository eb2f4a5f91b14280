package dev.reprise.smithy.names;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Gives each of several names of a model a name of Java that is neither taken nor reserved. */
public final class UniqueNames {
  /**
   * The methods of {@link Object}, {@link Throwable}, every generated error and its builder, and
   * the first words of whole names, which a variable of that name would hide.
   */
  private static final Set<String> METHODS =
      Set.of(
          "addSuppressed",
          "build",
          "builder",
          "cause",
          "clone",
          "dev",
          "fault",
          "fillInStackTrace",
          "finalize",
          "getCause",
          "getClass",
          "getLocalizedMessage",
          "getMessage",
          "getStackTrace",
          "getSuppressed",
          "hashCode",
          "httpStatus",
          "initCause",
          "isRetrySafe",
          "isThrottle",
          "isTimeout",
          "java",
          "notify",
          "notifyAll",
          "printStackTrace",
          "received",
          "retryAfter",
          "setStackTrace",
          "toString",
          "wait");

  private UniqueNames() {}

  /**
   * Returns the accessors' names by the members' names, in the same order. A member whose name is
   * reserved, or is what the generated class has anyway, gets the suffix {@code Member}.
   */
  public static Map<String, String> members(Collection<String> names) {
    return unique(
        names,
        JavaWords::memberName,
        name -> METHODS.contains(name) || !JavaWords.isName(name) ? name + "Member" : name);
  }

  /** Returns the constants' names by the enum members' names, in the same order. */
  public static Map<String, String> constants(Collection<String> names) {
    return unique(
        names, JavaWords::constantName, name -> name.equals("KNOWN") ? "KNOWN_VALUE" : name);
  }

  /**
   * Returns the names of a union's variants by the members' names, in the same order: {@code
   * CircleMember} for {@code circle}.
   *
   * @param className the union's own class
   */
  public static Map<String, String> variants(Collection<String> names, String className) {
    return unique(
        names,
        name -> JavaWords.typeName(name) + "Member",
        name ->
            name.equals("UnknownMember") || name.equals(className)
                ? name.replaceFirst("Member$", "ValueMember")
                : name);
  }

  private static Map<String, String> unique(
      Collection<String> names, UnaryOperator<String> spelling, UnaryOperator<String> allowed) {
    Map<String, String> unique = new LinkedHashMap<>();
    Set<String> taken = new HashSet<>();
    for (String name : names) {
      String wanted = allowed.apply(spelling.apply(name));
      String free = wanted;
      for (int i = 2; !taken.add(free); i++) {
        free = wanted + i;
      }
      unique.put(name, free);
    }
    return unique;
  }
}
