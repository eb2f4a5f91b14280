package dev.reprise.core.classify;

import dev.reprise.core.RetrySafety;
import java.io.InterruptedIOException;
import java.util.Objects;

/**
 * Tells which failures are worth a retry. An unknown failure is not retried. Known are those of the
 * JDK, of JDBC drivers, and, by the names of their classes, those of the usual clients of HTTP,
 * gRPC, AWS, Kafka, RabbitMQ, JMS, Redis, MongoDB and Elasticsearch; of these, only what is
 * certain.
 *
 * <pre>{@code
 * Classifier classifier =
 *     Classifier.defaults()
 *         .with(
 *             FailureRule.retryOn(OptimisticLockException.class),
 *             FailureRule.neverRetryOn(CardDeclinedException.class));
 * }</pre>
 *
 * <h2>How a verdict comes about</h2>
 *
 * <ol>
 *   <li><b>Vetoes.</b> An interrupt, a cancellation, an {@link Error} or a {@link
 *       dev.reprise.core.RetryInfo} that says {@link RetrySafety#NO}, anywhere in the chain of
 *       causes: never retried, and no further rule is asked.
 *   <li><b>Default rules</b> look at each throwable of the chain by itself. The verdicts on a
 *       failure and on its cause become one:
 *       <ul>
 *         <li>The stronger {@linkplain Verdict.Basis basis} wins, at whatever depth: what a {@link
 *             dev.reprise.core.RetryInfo} says of itself, then a type or {@link
 *             dev.reprise.core.ErrorInfo} that means one thing, then a type that can mean anything.
 *         <li>On equal basis NO wins: an {@code IOException} whose cause is a bad certificate is
 *             not retried.
 *         <li>Else the outer one wins. What no rule knows, such as {@link
 *             java.util.concurrent.CompletionException} or an exception of a framework, adds
 *             nothing: its cause decides.
 *         <li>Facts add up: throttle and timeout count wherever they are told; the outermost hint
 *             is kept.
 *       </ul>
 *   <li><b>Your rules</b>, in the order given, see that verdict and may change it. Each is asked
 *       about the failure, then about its causes from the outside in, until it has something to
 *       add. So a later rule has the last word over an earlier one and over the default rules,
 *       except that a veto ends it all: {@link FailureRule#neverRetryOn} wins wherever it stands.
 * </ol>
 *
 * <p>{@link RetrySafety#YES} means that nothing was sent, or that the other side says that nothing
 * has happened. That holds for one request: declare an operation that makes several as a
 * {@linkplain FailureRule#maybeRetryOn MAYBE}, or make it repeatable. After a transaction was
 * rolled back the operation to repeat is the whole transaction.
 *
 * <p>At most 16 throwables of a chain are looked at, and a chain that comes back to itself ends
 * there. Suppressed exceptions are not looked at.
 *
 * <p>Immutable and thread-safe. Deciding on what the default rules know allocates nothing, unless
 * there is a hint, or a cause adds a fact.
 */
public final class Classifier {
  private static final int MAX_THROWABLES = 16;
  private static final Classifier DEFAULTS = new Classifier(true, new FailureRule[0]);

  private final boolean hasDefaults;
  private final FailureRule[] rules;

  private Classifier(boolean hasDefaults, FailureRule[] rules) {
    this.hasDefaults = hasDefaults;
    this.rules = rules;
  }

  /**
   * Returns true for a failure that says: the thread was interrupted, and its flag cleared. A
   * timeout that a library derives from {@link InterruptedIOException}, or words as OkHttp does, is
   * none.
   */
  public static boolean isInterrupt(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return failure instanceof InterruptedException
        || (failure.getClass() == InterruptedIOException.class
            && !"timeout".equals(failure.getMessage()));
  }

  /** Returns the classifier of the default rules. */
  public static Classifier defaults() {
    return DEFAULTS;
  }

  /**
   * Returns a classifier that knows these rules and the vetoes, but none of the default rules: no
   * type and no {@link dev.reprise.core.ErrorInfo} means anything to it. A {@link
   * dev.reprise.core.RetryInfo} is still evaluated. So results that are not accepted, responses
   * worth a retry and attempts that took too long are retried as ever; a rule that says otherwise
   * has the last word.
   */
  public static Classifier of(FailureRule... rules) {
    Objects.requireNonNull(rules, "rules");
    return new Classifier(false, new FailureRule[0]).with(rules);
  }

  /** Returns a classifier that asks these rules after all that this one asks. */
  public Classifier with(FailureRule... more) {
    Objects.requireNonNull(more, "more");
    FailureRule[] all = new FailureRule[rules.length + more.length];
    System.arraycopy(rules, 0, all, 0, rules.length);
    for (int i = 0; i < more.length; i++) {
      all[rules.length + i] = Objects.requireNonNull(more[i], "rule");
    }
    return new Classifier(hasDefaults, all);
  }

  /**
   * Returns what is known of the failure.
   *
   * <p>Whatever a rule, or a method of the failure itself, throws while it is asked is thrown on
   * unchanged; the caller must not lose the failure over it.
   *
   * @throws NullPointerException when {@code failure} is null, or a rule or a {@link
   *     dev.reprise.core.RetryInfo} answers null
   */
  public Verdict classify(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    Verdict verdict = Verdict.UNKNOWN;
    Throwable inspected = failure;
    Throwable seen = failure;
    int count = 1;
    while (true) {
      verdict = verdict.withCause(judge(inspected));
      if (verdict.isVeto()) {
        return verdict;
      }
      // getCause() takes a lock in most exceptions, so it is called once for each.
      Throwable cause = count == MAX_THROWABLES ? null : inspected.getCause();
      if (cause == null || cause == seen) {
        break;
      }
      // Brent's way of finding a cycle: remember one throwable, a later one each time the distance
      // has doubled. The bound alone would end the walk; this spares rules from being asked again.
      if ((count & (count - 1)) == 0) {
        seen = inspected;
      }
      inspected = cause;
      count++;
    }
    return rules.length == 0 ? verdict : askRules(failure, count, verdict);
  }

  private Verdict judge(Throwable inspected) {
    // The other rules are written for the classes of the JDK: these would be asked in vain.
    boolean isOfJdk = inspected.getClass().getClassLoader() == null;
    Verdict byType = isOfJdk ? null : OwnTypes.verdictOn(inspected);
    if (byType != null) {
      return hasDefaults || byType.isVeto() ? byType : Verdict.UNKNOWN;
    }
    Verdict veto = VetoRule.of(inspected);
    if (veto.isVeto()) {
      return veto;
    }
    return hasDefaults ? DefaultRules.of(inspected) : InfoRule.statement(inspected);
  }

  private Verdict askRules(Throwable failure, int count, Verdict before) {
    Verdict verdict = before;
    for (FailureRule rule : rules) {
      verdict = askRule(rule, failure, count, verdict);
      if (verdict.isVeto()) {
        return verdict;
      }
    }
    return verdict;
  }

  private static Verdict askRule(FailureRule rule, Throwable failure, int count, Verdict soFar) {
    Throwable inspected = failure;
    for (int asked = 1; inspected != null; asked++) {
      Verdict verdict = rule.apply(inspected, soFar);
      if (verdict == null) {
        throw new NullPointerException(
            "the verdict of " + rule + " is null: must be soFar when there is nothing to add");
      }
      if (!verdict.saysTheSameAs(soFar)) {
        return verdict;
      }
      inspected = asked == count ? null : inspected.getCause();
    }
    return soFar;
  }
}
