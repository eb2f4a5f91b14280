package dev.reprise.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.Verdict;
import java.util.Arrays;

/**
 * A cell of the table in core/TESTS.md: how a library fails, and what the default rules make of it.
 *
 * @param library its name
 * @param failure the failure that is provoked
 * @param verdict YES, MAYBE or NO, with {@code throttle} where it is one; several that depend on
 *     the moment, with {@code or} between them
 * @param provocation makes the library fail
 */
record Cell(String library, String failure, String verdict, Provocation provocation) {
  /** Makes a library fail. */
  interface Provocation {
    void run() throws Exception;
  }

  /** Fails unless the verdict on the failure is the one of the cell. */
  void check() {
    Throwable failure = catchThrowable(provocation::run);

    assertThat(failure).as("the failure that was to be provoked").isNotNull();
    assertThat(textOf(Classifier.defaults().classify(failure)))
        .as(chainOf(failure))
        .isIn(Arrays.asList(verdict.split(" or ", -1)));
  }

  private static String textOf(Verdict verdict) {
    return verdict.isRetrySafe() + (verdict.isThrottle() ? " throttle" : "");
  }

  private static String chainOf(Throwable failure) {
    StringBuilder chain = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      chain.append(cause).append(System.lineSeparator());
    }
    return chain.toString();
  }

  @Override
  public String toString() {
    return library + ": " + failure + " -> " + verdict;
  }
}
