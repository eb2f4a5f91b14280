package dev.reprise.core.classify;

import java.util.List;
import java.util.function.Predicate;

/** A rule that says the same of all failures it is about, and so needs no object for each. */
final class ConstantRule implements FailureRule {
  private final Predicate<? super Throwable> matches;
  private final Verdict verdict;

  ConstantRule(Predicate<? super Throwable> matches, Verdict verdict) {
    this.matches = matches;
    this.verdict = verdict;
  }

  /** Returns the condition that a failure is of one of the types. */
  static Predicate<Throwable> isAny(List<Class<? extends Throwable>> types) {
    if (types.size() == 1) {
      return types.get(0)::isInstance;
    }
    Class<?>[] wanted = types.toArray(new Class<?>[0]);
    return failure -> isAny(wanted, failure);
  }

  private static boolean isAny(Class<?>[] wanted, Throwable failure) {
    for (Class<?> type : wanted) {
      if (type.isInstance(failure)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Verdict apply(Throwable failure, Verdict soFar) {
    return matches.test(failure) ? soFar.saying(verdict) : soFar;
  }
}
