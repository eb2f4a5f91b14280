package dev.reprise.core.retry;

import dev.reprise.core.RetryInfo;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Selects the results of a type that are not accepted, with the retry facts of each. */
record ResultRule<T>(Class<T> type, Function<? super T, ? extends @Nullable RetryInfo> rule) {
  /** Returns the retry facts of a result that is not accepted, or null when the rule accepts it. */
  @Nullable RetryInfo judge(@Nullable Object result) {
    if (result == null) {
      return judgeNull();
    }
    return type.isInstance(result) ? rule.apply(type.cast(result)) : null;
  }

  /** Null is of every type. A rule that does not expect it has nothing to say of it. */
  @SuppressWarnings("NullAway") // That is the question.
  private @Nullable RetryInfo judgeNull() {
    try {
      return rule.apply(null);
    } catch (NullPointerException notExpected) {
      return null;
    }
  }
}
