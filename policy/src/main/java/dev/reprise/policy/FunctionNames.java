package dev.reprise.policy;

import dev.reprise.core.backoff.BackoffFunction;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The names that documents use for the four backoff functions; case does not matter. */
final class FunctionNames {
  static final String RULE = "must be linear, arithmetic, geometric or exponential";

  private FunctionNames() {}

  /** Returns the function, or null when no function has the name. */
  static @Nullable BackoffFunction read(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "linear", "线性" -> BackoffFunction.LINEAR;
      case "arithmetic", "算数" -> BackoffFunction.ARITHMETIC;
      // Documents call two of them by words that are translations of translations.
      case "geometric", "geometry", "几何" -> BackoffFunction.GEOMETRIC;
      case "exponential", "indicator", "指数" -> BackoffFunction.EXPONENTIAL;
      default -> null;
    };
  }
}
