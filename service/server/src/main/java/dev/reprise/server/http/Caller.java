package dev.reprise.server.http;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request.
 *
 * @param key the id of the API key; {@code dev} for every client in dev, empty for a client without
 *     a key
 * @param name the name of the key
 * @param scopes the parts of the API that are open to it
 * @param project the only project that exists for it; null for an operator, who has all of them
 * @param expiresAtMillis when its key expires; 0 for never
 */
public record Caller(
    String key, String name, Set<Scope> scopes, @Nullable String project, long expiresAtMillis) {
  /** Every client, in a service that needs no keys. */
  public static final Caller DEV = new Caller("dev", "dev", Scope.ALL, null, 0);

  /** A client of an operation that needs no key. */
  static final Caller ANYBODY = new Caller("", "", Set.of(), null, 0);

  /** Returns true if it is for all projects. */
  public boolean isOperator() {
    return project == null;
  }

  public boolean has(Scope scope) {
    return scopes.contains(scope) || (scope == Scope.READ && scopes.contains(Scope.MANAGE));
  }

  /** Returns itself as messages have it. */
  public String described() {
    return "key '" + key + "' (" + RequestFields.shortened(name) + ")";
  }
}
