package dev.reprise.spring;

import java.lang.reflect.UndeclaredThrowableException;
import org.jspecify.annotations.Nullable;

/**
 * Carries a throwable that is neither exception nor error through a retry, which knows only those.
 */
final class Undeclared extends UndeclaredThrowableException {
  private static final long serialVersionUID = 1;

  /** One attempt of code that may throw anything. */
  @FunctionalInterface
  interface Attempt<R extends @Nullable Object> {
    R make() throws Throwable;
  }

  private final Throwable carried;

  private Undeclared(Throwable carried) {
    super(carried);
    this.carried = carried;
  }

  /** Makes the attempt; exceptions and errors come out as they are. */
  static <R extends @Nullable Object> R carry(Attempt<R> attempt) throws Exception {
    try {
      return attempt.make();
    } catch (Exception | Error failure) {
      throw failure;
    } catch (Throwable neither) {
      throw new Undeclared(neither);
    }
  }

  /** Returns the exception of the attempt. */
  static Throwable carried(Throwable failure) {
    return failure instanceof Undeclared undeclared ? undeclared.carried : failure;
  }
}
