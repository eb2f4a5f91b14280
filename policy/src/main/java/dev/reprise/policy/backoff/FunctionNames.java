package dev.reprise.policy.backoff;

import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.policy.document.Codec;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;

/** The names that documents use for the four backoff functions; case does not matter. */
public final class FunctionNames {
  static final String RULE = "must be linear, arithmetic, geometric or exponential";

  /** Reads any of the names, and writes the first. */
  public static final Codec<BackoffFunction> CODEC =
      new Codec<>(
          "linear, arithmetic, geometric or exponential",
          RULE,
          (checks, path, value) -> {
            BackoffFunction function = value.isString() ? read(value.stringValue()) : null;
            return function == null ? Codec.refuse(checks, path, value, RULE) : function;
          },
          function -> JsonNodeFactory.instance.stringNode(function.wireName()),
          Codec.reference("notification-policy.schema.json#/$defs/backoffFunction"));

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
