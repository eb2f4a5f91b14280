package dev.reprise.core.strategy;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rate limiters of scopes. Each of the first {@value #MAX_SCOPES} named scopes has its own, and
 * all further ones share one: none is thrown away, for the next one would have to find out with
 * throttles what this one knows. Thread-safe.
 */
final class RateLimiters {
  static final int MAX_SCOPES = 128;

  private final LongSupplier nanoClock;
  private final CubicRateLimiter ofDefaultScope;
  private final CubicRateLimiter shared;
  private final ConcurrentHashMap<String, CubicRateLimiter> named = new ConcurrentHashMap<>();

  RateLimiters(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.ofDefaultScope = new CubicRateLimiter(nanoClock);
    this.shared = new CubicRateLimiter(nanoClock);
  }

  /** Returns the limiter of a scope; null is the default scope. */
  CubicRateLimiter of(@Nullable String scope) {
    if (scope == null) {
      return ofDefaultScope;
    }
    CubicRateLimiter known = named.get(scope);
    return known != null ? known : admit(scope);
  }

  private synchronized CubicRateLimiter admit(String scope) {
    if (named.size() >= MAX_SCOPES && !named.containsKey(scope)) {
      return shared;
    }
    return named.computeIfAbsent(scope, ignored -> new CubicRateLimiter(nanoClock));
  }
}
