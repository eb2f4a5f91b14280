package dev.reprise.core.classify;

import static dev.reprise.core.classify.FailureRule.maybeRetryIf;
import static dev.reprise.core.classify.FailureRule.maybeRetryOn;
import static dev.reprise.core.classify.FailureRule.neverRetryIf;
import static dev.reprise.core.classify.FailureRule.neverRetryOn;
import static dev.reprise.core.classify.FailureRule.retryIf;
import static dev.reprise.core.classify.FailureRule.retryOn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.NoSuchFileException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClassifierTest extends SpeakingFailures {
  private static final Classifier DEFAULTS = Classifier.defaults();

  @Nested
  class CausesAndTheFailureAroundThem {
    @Test
    void anExceptionThatSaysNoIsNotRetriedForTheSakeOfItsCause() {
      assertThat(DEFAULTS.classify(new Said(RetrySafety.NO, new ConnectException())).isVeto())
          .isTrue();
    }

    @Test
    void aNoInsideWinsOverAYesOutside() {
      Said inner = new Said(RetrySafety.NO, null);

      assertThat(DEFAULTS.classify(new Said(RetrySafety.YES, inner)).isVeto()).isTrue();
      assertThat(DEFAULTS.classify(new ConnectException().initCause(inner)).isVeto()).isTrue();
    }

    @Test
    void anInterruptOrACancellationInsideWinsOverAYesOutside() {
      assertThat(
              DEFAULTS.classify(
                  new Said(RetrySafety.YES, new RuntimeException(new InterruptedException()))))
          .isEqualTo(DEFAULTS.classify(new InterruptedException()));
      assertThat(DEFAULTS.classify(new Said(RetrySafety.YES, new CancellationException())).isVeto())
          .isTrue();
    }

    @Test
    void anIoExceptionBecauseOfABadCertificateIsNotRetried() {
      Verdict verdict =
          DEFAULTS.classify(new IOException("x", new CertificateException("expired")));

      assertThat(verdict.isRetrySafe()).isEqualTo(RetrySafety.NO);
      assertThat(verdict.reason()).isEqualTo("the certificate is not trusted");
    }

    @Test
    void anIndicationAgainstWinsOverOneForARetry() {
      Throwable refused = new ConnectException().initCause(new CertificateException());

      assertThat(DEFAULTS.classify(refused).isRetrySafe()).isEqualTo(RetrySafety.NO);
      assertThat(DEFAULTS.classify(refused).isVeto()).isFalse();
    }

    @Test
    void ofTwoIndicationsForARetryTheOuterOneWins() {
      Throwable never = new ConnectException().initCause(new SocketTimeoutException());
      Throwable perhaps = new SocketTimeoutException().initCause(new ConnectException());

      assertThat(DEFAULTS.classify(never).isRetrySafe()).isEqualTo(RetrySafety.YES);
      assertThat(DEFAULTS.classify(perhaps).isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
    }

    @Test
    void aPlainIoExceptionMeansWhatItsCauseMeans() {
      assertThat(DEFAULTS.classify(new IOException("x", new ConnectException())).isRetrySafe())
          .isEqualTo(RetrySafety.YES);
      assertThat(DEFAULTS.classify(new IOException("x", new IllegalStateException())).isRetrySafe())
          .isEqualTo(RetrySafety.MAYBE);
    }

    @Test
    void whatAFailureSaysOfItselfWinsOverTypesAndFaults() {
      Said maybe = new Said(RetrySafety.MAYBE, new ConnectException());
      Said yes = new Said(RetrySafety.YES, null);

      assertThat(DEFAULTS.classify(maybe).isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
      assertThat(DEFAULTS.classify(new IOException("x", yes)).isRetrySafe())
          .isEqualTo(RetrySafety.YES);
      assertThat(DEFAULTS.classify(new AtFault(ErrorFault.CLIENT, yes)).isRetrySafe())
          .isEqualTo(RetrySafety.YES);
      assertThat(
              DEFAULTS
                  .classify(new Said(RetrySafety.YES, new AtFault(ErrorFault.CLIENT, null)))
                  .isRetrySafe())
          .isEqualTo(RetrySafety.YES);
      assertThat(
              DEFAULTS
                  .classify(new Said(RetrySafety.YES, new FileNotFoundException()))
                  .isRetrySafe())
          .isEqualTo(RetrySafety.YES);
    }

    @Test
    void ofTwoStatementsTheOuterOneWins() {
      Said outer = new Said(RetrySafety.MAYBE, new Said(RetrySafety.YES, null));

      assertThat(DEFAULTS.classify(outer).isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
      assertThat(
              DEFAULTS
                  .classify(new Said(RetrySafety.YES, new Said(RetrySafety.MAYBE, null)))
                  .isRetrySafe())
          .isEqualTo(RetrySafety.YES);
    }

    @Test
    void aStatementDeepInsideIsHonoured() {
      Hinted hinted = new Hinted(RetrySafety.YES, Duration.ofSeconds(3), null);
      Throwable failure = new CompletionException(new RuntimeException(hinted));

      assertThat(DEFAULTS.classify(failure))
          .isEqualTo(
              new Verdict(
                  RetrySafety.YES,
                  Basis.STATEMENT,
                  true,
                  false,
                  Duration.ofSeconds(3),
                  "the failure says that it is safe"));
    }

    @Test
    void factsOfCausesAreKeptAndTheOutermostHintWins() {
      Hinted inner = new Hinted(RetrySafety.MAYBE, Duration.ofSeconds(60), null);
      Verdict withoutHint = DEFAULTS.classify(new Said(RetrySafety.YES, inner));
      Verdict withHint =
          DEFAULTS.classify(new Hinted(RetrySafety.YES, Duration.ofSeconds(5), inner));
      Verdict timeout =
          DEFAULTS.classify(new Said(RetrySafety.YES, new SocketTimeoutException("x")));

      assertThat(withoutHint.isRetrySafe()).isEqualTo(RetrySafety.YES);
      assertThat(withoutHint.isThrottle()).isTrue();
      assertThat(withoutHint.retryAfter()).isEqualTo(Duration.ofSeconds(60));
      assertThat(withHint.retryAfter()).isEqualTo(Duration.ofSeconds(5));
      assertThat(timeout.isTimeout()).isTrue();
    }

    @Test
    void aHintDoesNotMakeAFailureRetryable() {
      Hinted refused = new Hinted(RetrySafety.NO, Duration.ofSeconds(1), null);

      assertThat(DEFAULTS.classify(refused).isRetrySafe()).isEqualTo(RetrySafety.NO);
      assertThat(DEFAULTS.classify(refused).retryAfter()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void suppressedExceptionsAreNotLookedAt() {
      IOException failure = new IOException("x");
      failure.addSuppressed(new InterruptedException());

      assertThat(DEFAULTS.classify(failure).isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
    }
  }

  @Nested
  @Timeout(60)
  class LongAndCrookedChains {
    @Test
    void sixteenThrowablesAreLookedAtAndNotASeventeenth() {
      assertThat(DEFAULTS.classify(buried(new IOException("x"), 15)).isRetrySafe())
          .isEqualTo(RetrySafety.MAYBE);
      assertThat(DEFAULTS.classify(buried(new IOException("x"), 16))).isEqualTo(Verdict.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 15, 16, 40})
    void aCycleOfAnyLengthEndsAndItsMembersAreSeen(int length) {
      List<Linked> ring = ring(length);
      Verdict verdict =
          DEFAULTS
              .with((failure, soFar) -> failure == ring.get(0) ? soFar.yes("seen") : soFar)
              .classify(ring.get(0));

      assertThat(verdict.reason()).isEqualTo("seen");
    }

    @Test
    void aChainThatRunsIntoACycleEnds() {
      Linked inCycle = ring(3).get(0);

      assertThat(DEFAULTS.classify(new IOException("x", new RuntimeException(inCycle))).reason())
          .isEqualTo("input or output failed");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void aRuleIsNotAskedForeverAboutAShortCycle(int length) {
      IdentityHashMap<Throwable, Integer> asked = new IdentityHashMap<>();
      DEFAULTS
          .with(
              (failure, soFar) -> {
                asked.merge(failure, 1, Integer::sum);
                return soFar;
              })
          .classify(ring(length).get(0));

      assertThat(asked.keySet()).hasSize(length);
      assertThat(asked.values()).allMatch(times -> times <= 2);
    }

    @Test
    void aCauseThatIsTheExceptionItselfIsAskedOnce() {
      List<Throwable> asked = new ArrayList<>();
      Linked self = ring(1).get(0);
      Classifier.of(recording(asked)).classify(self);

      assertThat(asked).containsExactly(self);
    }

    @Test
    void aCauseThatIsNewEachTimeEnds() {
      List<Throwable> asked = new ArrayList<>();
      Classifier.of(recording(asked)).classify(new Fountain());

      assertThat(asked).hasSize(16);
    }

    @Test
    void aCauseThatCannotBeHadIsThrownToTheCaller() {
      IllegalStateException broken = new IllegalStateException("getCause is broken");
      @SuppressWarnings("serial")
      class Broken extends RuntimeException {
        @Override
        public synchronized Throwable getCause() {
          throw broken;
        }
      }

      assertThatThrownBy(() -> DEFAULTS.classify(new Broken())).isSameAs(broken);
    }

    private static FailureRule recording(List<Throwable> asked) {
      return (failure, soFar) -> {
        asked.add(failure);
        return soFar;
      };
    }

    private static Throwable buried(Throwable innermost, int depth) {
      Throwable failure = innermost;
      for (int i = 0; i < depth; i++) {
        failure = new RuntimeException("wrapper", failure);
      }
      return failure;
    }

    private static List<Linked> ring(int length) {
      List<Linked> ring = new ArrayList<>();
      for (int i = 0; i < length; i++) {
        ring.add(new Linked());
      }
      for (int i = 0; i < length; i++) {
        ring.get(i).next = ring.get((i + 1) % length);
      }
      return ring;
    }
  }

  @Nested
  class RulesOfUsers {
    @Test
    void aRuleIsAddedToTheDefaultRules() {
      Classifier classifier = DEFAULTS.with(retryOn(IllegalStateException.class));

      assertThat(classifier.classify(new IllegalStateException()).isRetrySafe())
          .isEqualTo(RetrySafety.YES);
      assertThat(classifier.classify(new IOException()).isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
      assertThat(DEFAULTS.classify(new IllegalStateException())).isEqualTo(Verdict.UNKNOWN);
    }

    @Test
    void eachKindOfRuleGivesItsVerdictToTypesAndTheirSubtypes() {
      Throwable failure = new NoSuchFileException("x");

      assertThat(DEFAULTS.with(retryOn(IOException.class)).classify(failure))
          .isEqualTo(Verdict.of(RetrySafety.YES, Basis.STATEMENT, "a rule allows IOException"));
      assertThat(
              DEFAULTS
                  .with(maybeRetryOn(NullPointerException.class, IOException.class))
                  .classify(failure))
          .isEqualTo(
              Verdict.of(
                  RetrySafety.MAYBE,
                  Basis.STATEMENT,
                  "a rule allows NullPointerException, IOException if idempotent"));
      assertThat(DEFAULTS.with(neverRetryOn(IOException.class)).classify(failure))
          .isEqualTo(Verdict.of(RetrySafety.NO, Basis.VETO, "a rule forbids IOException"));
      assertThat(DEFAULTS.with(retryIf(failure::equals)).classify(failure))
          .isEqualTo(Verdict.of(RetrySafety.YES, Basis.STATEMENT, "a rule allows it"));
      assertThat(DEFAULTS.with(maybeRetryIf(failure::equals)).classify(failure))
          .isEqualTo(
              Verdict.of(RetrySafety.MAYBE, Basis.STATEMENT, "a rule allows it if idempotent"));
      assertThat(DEFAULTS.with(neverRetryIf(failure::equals)).classify(failure))
          .isEqualTo(Verdict.of(RetrySafety.NO, Basis.VETO, "a rule forbids it"));
    }

    @Test
    void aRuleThatDoesNotMatchChangesNothing() {
      Classifier classifier =
          DEFAULTS.with(
              retryOn(IllegalStateException.class),
              maybeRetryOn(IllegalStateException.class),
              neverRetryOn(IllegalStateException.class),
              retryIf(failure -> false),
              maybeRetryIf(failure -> false),
              neverRetryIf(failure -> false));

      assertThat(classifier.classify(new IOException()))
          .isEqualTo(DEFAULTS.classify(new IOException()));
      assertThat(classifier.classify(new NullPointerException())).isEqualTo(Verdict.UNKNOWN);
    }

    @Test
    void aRuleIsAskedAboutTheFailureThenAboutItsCausesUntilItAnswers() {
      List<String> asked = new ArrayList<>();
      Throwable failure =
          new RuntimeException("outer", new RuntimeException("middle", new Exception("inner")));
      DEFAULTS
          .with(
              (inspected, soFar) -> {
                asked.add(String.valueOf(inspected.getMessage()));
                return "middle".equals(inspected.getMessage()) ? soFar.maybe("found") : soFar;
              })
          .classify(failure);

      assertThat(asked).containsExactly("outer", "middle");
    }

    @Test
    void aLaterRuleHasTheLastWord() {
      Classifier classifier =
          DEFAULTS.with(retryOn(IOException.class)).with(maybeRetryOn(ConnectException.class));

      assertThat(classifier.classify(new ConnectException()).isRetrySafe())
          .isEqualTo(RetrySafety.MAYBE);
      assertThat(classifier.classify(new IOException("x", new ConnectException())).isRetrySafe())
          .isEqualTo(RetrySafety.MAYBE);
    }

    @Test
    void aVetoWinsWhereverItStandsAndEndsTheFold() {
      FailureRule veto = neverRetryOn(ConnectException.class);
      FailureRule mustNotBeAsked =
          (failure, soFar) -> {
            throw new AssertionError("asked after a veto");
          };
      Throwable failure = new RuntimeException(new ConnectException());

      assertThat(DEFAULTS.with(retryIf(any -> true), veto).classify(failure).isVeto()).isTrue();
      assertThat(DEFAULTS.with(veto, mustNotBeAsked).classify(failure).isVeto()).isTrue();
      assertThat(DEFAULTS.with(mustNotBeAsked).classify(new InterruptedException()).isVeto())
          .isTrue();
    }

    @Test
    void whatTheDefaultRulesOnlyAdviseAgainstCanBeAllowed() {
      Classifier classifier =
          DEFAULTS.with(retryOn(NoSuchFileException.class, CertificateException.class));

      assertThat(classifier.classify(new NoSuchFileException("x")).isRetrySafe())
          .isEqualTo(RetrySafety.YES);
      assertThat(classifier.classify(new IOException(new CertificateException())).isRetrySafe())
          .isEqualTo(RetrySafety.YES);
    }

    @Test
    void aRuleSeesWhatIsKnownAndKeepsTheFacts() {
      List<Verdict> seen = new ArrayList<>();
      FailureRule rule =
          (failure, soFar) -> {
            seen.add(soFar);
            return soFar.yes("reading twice does no harm");
          };

      assertThat(DEFAULTS.with(rule).classify(new SocketTimeoutException("Read timed out")))
          .isEqualTo(
              Verdict.of(RetrySafety.YES, Basis.STATEMENT, "reading twice does no harm")
                  .withTimeout());
      assertThat(seen)
          .containsExactly(DEFAULTS.classify(new SocketTimeoutException("Read timed out")));
    }

    @Test
    void aRuleThatAddsAHintDoesNotMakeTheFailureRetryable() {
      Classifier classifier =
          DEFAULTS.with((failure, soFar) -> soFar.withRetryAfter(Duration.ofSeconds(9)));

      Verdict unknown = classifier.classify(new IllegalStateException());
      Verdict known = classifier.classify(new IOException());

      assertThat(unknown.isRetrySafe()).isEqualTo(RetrySafety.NO);
      assertThat(unknown.retryAfter()).isEqualTo(Duration.ofSeconds(9));
      assertThat(known.isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
      assertThat(known.retryAfter()).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void withoutDefaultRulesVetoesAndStatementsRemain() {
      Classifier nothing = Classifier.of();
      Classifier everything = Classifier.of(retryIf(failure -> true));
      Throwable told = new IOException(new Hinted(RetrySafety.MAYBE, Duration.ofSeconds(3), null));

      assertThat(nothing.classify(new IOException())).isEqualTo(Verdict.UNKNOWN);
      assertThat(nothing.classify(new Said(RetrySafety.YES, null)))
          .isEqualTo(DEFAULTS.classify(new Said(RetrySafety.YES, null)));
      assertThat(nothing.classify(told)).isEqualTo(DEFAULTS.classify(told));
      assertThat(nothing.classify(told).retryAfter()).isEqualTo(Duration.ofSeconds(3));
      assertThat(nothing.classify(new AtFault(ErrorFault.SERVER, null))).isEqualTo(Verdict.UNKNOWN);
      assertThat(everything.classify(new IllegalStateException()).isRetrySafe())
          .isEqualTo(RetrySafety.YES);
      assertThat(everything.classify(new Said(RetrySafety.NO, null)).isVeto()).isTrue();
      assertThat(everything.classify(new RuntimeException(new OutOfMemoryError())).isVeto())
          .isTrue();
      assertThat(everything.classify(new InterruptedException()).isVeto()).isTrue();
    }

    @Test
    void whatARuleThrowsIsThrownToTheCaller() {
      IllegalStateException broken = new IllegalStateException("the rule is broken");
      Classifier classifier =
          DEFAULTS.with(
              (failure, soFar) -> {
                throw broken;
              });

      assertThatThrownBy(() -> classifier.classify(new IOException())).isSameAs(broken);
    }

    @Test
    void anAnswerOfNullIsRefused() {
      assertThatNullPointerException()
          .isThrownBy(() -> DEFAULTS.with((failure, soFar) -> null).classify(new IOException()))
          .withMessageStartingWith("the verdict of ")
          .withMessageEndingWith(" is null: must be soFar when there is nothing to add");
      assertThatNullPointerException()
          .isThrownBy(() -> DEFAULTS.classify(new Said(null, null)))
          .withMessageEndingWith("Said is null: must be YES, NO or MAYBE")
          .withMessageStartingWith("isRetrySafe of ");
      assertThatNullPointerException()
          .isThrownBy(() -> DEFAULTS.classify(null))
          .withMessage("failure");
    }

    @Test
    void rulesThatCannotMatchAreRefused() {
      assertThatIllegalArgumentException()
          .isThrownBy(FailureRule::retryOn)
          .withMessage("types is empty: must name at least one type");
      assertThatIllegalArgumentException().isThrownBy(FailureRule::maybeRetryOn);
      assertThatIllegalArgumentException().isThrownBy(FailureRule::neverRetryOn);
      assertThatNullPointerException().isThrownBy(() -> retryIf(null));
      assertThatNullPointerException().isThrownBy(() -> maybeRetryIf(null));
      assertThatNullPointerException().isThrownBy(() -> neverRetryIf(null));
      assertThatNullPointerException()
          .isThrownBy(() -> DEFAULTS.with((FailureRule) null))
          .withMessage("rule");
    }

    @Test
    void changingTheArrayOfRulesAfterwardsChangesNothing() {
      FailureRule[] rules = {retryOn(IllegalStateException.class)};
      Classifier classifier = DEFAULTS.with(rules);
      rules[0] = neverRetryIf(failure -> true);

      assertThat(classifier.classify(new IllegalStateException()).isRetrySafe())
          .isEqualTo(RetrySafety.YES);
    }
  }

  @Nested
  class Verdicts {
    @Test
    void aVetoStaysOneWhateverIsSaidOfIt() {
      Verdict veto = Verdict.UNKNOWN.never("no");

      assertThat(veto.yes("yes")).isEqualTo(veto);
      assertThat(veto.maybe("maybe")).isEqualTo(veto);
      assertThat(veto.never("another reason")).isEqualTo(veto);
      assertThat(veto.withThrottle().withTimeout().isVeto()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
        value = RetrySafety.class,
        names = {"YES", "MAYBE"})
    void whatIsUnknownOrVetoedIsNotRetried(RetrySafety safety) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Verdict(safety, Basis.UNKNOWN, false, false, null, "x"))
          .withMessage("isRetrySafe is " + safety + ": must be NO when basis is UNKNOWN");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Verdict(safety, Basis.VETO, false, false, null, "x"))
          .withMessage("isRetrySafe is " + safety + ": must be NO when basis is VETO");
    }

    @Test
    void aNegativeHintIsNone() {
      Verdict verdict = Verdict.UNKNOWN.yes("x").withRetryAfter(Duration.ofSeconds(3));

      assertThat(verdict.withRetryAfter(Duration.ofSeconds(-3)).retryAfter()).isNull();
      assertThat(verdict.withRetryAfter(null)).isEqualTo(Verdict.UNKNOWN.yes("x"));
    }
  }
}
