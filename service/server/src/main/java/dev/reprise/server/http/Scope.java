package dev.reprise.server.http;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A part of the API that a key may open. */
public enum Scope {
  /** Publishing messages. */
  PUBLISH,
  /** Looking at everything of the project, payloads included. */
  READ,
  /** Changing everything of the project; includes reading. */
  MANAGE;

  /** All of them. */
  public static final Set<Scope> ALL = Collections.unmodifiableSet(EnumSet.allOf(Scope.class));

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the names in the order of the constants. */
  public static List<String> wireNames(Set<Scope> scopes) {
    return scopes.stream().sorted().map(Scope::wireName).toList();
  }

  /**
   * Reads the scopes of a key, from 1.
   *
   * @throws ApiException if one of them is none
   */
  public static Set<Scope> read(Collection<String> names, String field) {
    EnumSet<Scope> scopes = EnumSet.noneOf(Scope.class);
    for (String name : names) {
      scopes.add(
          ALL.stream()
              .filter(scope -> scope.wireName().equals(name))
              .findFirst()
              .orElseThrow(() -> invalid(field, name)));
    }
    if (scopes.isEmpty()) {
      throw invalid(field, "[]");
    }
    return Collections.unmodifiableSet(scopes);
  }

  private static ApiException invalid(String field, String value) {
    return ApiException.invalid(
        field,
        RequestFields.shortened(value),
        "must be one or more of "
            + ALL.stream().map(Scope::wireName).collect(Collectors.joining(", ")));
  }
}
