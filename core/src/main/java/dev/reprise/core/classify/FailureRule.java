package dev.reprise.core.classify;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * One rule of a {@link Classifier}: what one kind of failure means for a retry.
 *
 * <pre>{@code
 * FailureRule conflict = (failure, soFar) -> {
 *   // Another client changed the document between our read and our write.
 *   if (failure instanceof ConflictException) {
 *     return soFar.yes("the document had changed");
 *   }
 *   return soFar;
 * };
 * Classifier classifier = Classifier.defaults().with(conflict);
 * }</pre>
 *
 * <p>A rule is pure: it reads no clock and does not block. It must be thread-safe. An exception of
 * a rule reaches the caller of {@link Classifier#classify}.
 */
@FunctionalInterface
public interface FailureRule {
  /**
   * Returns the verdict on a failure after this rule. A rule is asked about the failure first, then
   * about its causes from the outside in, until it has something to add.
   *
   * @param failure the failure, or one of its causes
   * @param soFar the verdict on the whole failure by the rules before this one, {@link
   *     Verdict#UNKNOWN} when none of them knew it; never a veto, for a veto ends the fold
   * @return a verdict made from {@code soFar}, or {@code soFar} itself when the rule has nothing to
   *     add; never null
   */
  Verdict apply(Throwable failure, Verdict soFar);

  /**
   * Returns the rule that failures of these types, or with such a cause, are safe to retry, also
   * for operations that are not idempotent. For failures that tell that nothing has happened.
   *
   * @throws IllegalArgumentException when no type is given
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // copied at once, and only read
  static FailureRule retryOn(Class<? extends Throwable>... types) {
    List<Class<? extends Throwable>> wanted = wanted(types);
    String reason = "a rule allows " + namesOf(wanted);
    return new ConstantRule(ConstantRule.isAny(wanted), Verdict.UNKNOWN.yes(reason));
  }

  /** Returns the rule that failures that match, or with such a cause, are safe to retry. */
  static FailureRule retryIf(Predicate<? super Throwable> matches) {
    Objects.requireNonNull(matches, "matches");
    return new ConstantRule(matches, Verdict.UNKNOWN.yes("a rule allows it"));
  }

  /**
   * Returns the rule that failures of these types, or with such a cause, may be retried when the
   * operation is idempotent.
   *
   * @throws IllegalArgumentException when no type is given
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // copied at once, and only read
  static FailureRule maybeRetryOn(Class<? extends Throwable>... types) {
    List<Class<? extends Throwable>> wanted = wanted(types);
    String reason = "a rule allows " + namesOf(wanted) + " if idempotent";
    return new ConstantRule(ConstantRule.isAny(wanted), Verdict.UNKNOWN.maybe(reason));
  }

  /**
   * Returns the rule that failures that match, or with such a cause, may be retried when the
   * operation is idempotent.
   */
  static FailureRule maybeRetryIf(Predicate<? super Throwable> matches) {
    Objects.requireNonNull(matches, "matches");
    return new ConstantRule(matches, Verdict.UNKNOWN.maybe("a rule allows it if idempotent"));
  }

  /**
   * Returns the rule that failures of these types, or with such a cause, are never retried.
   *
   * @throws IllegalArgumentException when no type is given
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // copied at once, and only read
  static FailureRule neverRetryOn(Class<? extends Throwable>... types) {
    List<Class<? extends Throwable>> wanted = wanted(types);
    String reason = "a rule forbids " + namesOf(wanted);
    return new ConstantRule(ConstantRule.isAny(wanted), Verdict.UNKNOWN.never(reason));
  }

  /** Returns the rule that failures that match, or with such a cause, are never retried. */
  static FailureRule neverRetryIf(Predicate<? super Throwable> matches) {
    Objects.requireNonNull(matches, "matches");
    return new ConstantRule(matches, Verdict.UNKNOWN.never("a rule forbids it"));
  }

  private static List<Class<? extends Throwable>> wanted(Class<? extends Throwable>[] types) {
    Objects.requireNonNull(types, "types");
    if (types.length == 0) {
      throw new IllegalArgumentException("types is empty: must name at least one type");
    }
    return List.of(types);
  }

  private static String namesOf(List<Class<? extends Throwable>> types) {
    return types.stream().map(Class::getSimpleName).collect(Collectors.joining(", "));
  }
}
