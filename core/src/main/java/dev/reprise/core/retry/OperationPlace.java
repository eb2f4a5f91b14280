package dev.reprise.core.retry;

import org.jspecify.annotations.Nullable;

/**
 * Says where in a program an operation stands, for failures that no frame of the program is part
 * of: by the name of its {@link Retry}, its scope, and the class that wrote it.
 */
final class OperationPlace {
  private static final String LAMBDA = "$$Lambda";

  private OperationPlace() {}

  /** Returns what to put behind a message, such as {@code : retry prices, in com.acme.Prices}. */
  static String of(RetryEngine engine, @Nullable Object operation) {
    String scope = engine.operation.scope();
    return ": retry "
        + engine.name
        + (scope == null ? "" : " to " + scope)
        + (operation == null ? "" : ", in " + writtenIn(operation.getClass().getName()));
  }

  /** A lambda is of a class without a source; its name begins with that of the class around it. */
  private static String writtenIn(String className) {
    int lambda = className.indexOf(LAMBDA);
    return lambda < 0 ? className : className.substring(0, lambda);
  }
}
