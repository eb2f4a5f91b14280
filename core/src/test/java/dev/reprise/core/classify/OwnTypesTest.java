package dev.reprise.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetrySafety;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

/** Exceptions of a program are looked at once; what they inherit from the JDK still counts. */
@SuppressWarnings("serial")
class OwnTypesTest {
  private static final class Own extends Exception {}

  private static final class OwnUnchecked extends RuntimeException {}

  private static class OwnIo extends IOException {}

  private static final class OwnOfOwnIo extends OwnIo {}

  private static final class OwnTimeout extends TimeoutException {}

  private static final class OwnSocketTimeout extends SocketTimeoutException {}

  private static final class OwnSql extends SQLTransientConnectionException {
    OwnSql() {
      super("a lock was not to be had", "55P03");
    }
  }

  private static final class OwnTls extends SSLHandshakeException {
    OwnTls() {
      super("no common version");
    }
  }

  private static final class OwnInterrupt extends InterruptedException {}

  private static final class OwnCancellation extends CancellationException {}

  private static final class OwnError extends Error {}

  private static final class OwnThrowable extends Throwable {}

  private static class OwnFault extends Exception implements ErrorInfo {
    @Override
    public ErrorFault fault() {
      return ErrorFault.SERVER;
    }
  }

  private static final class OwnOfOwnFault extends OwnFault {}

  private static Verdict verdictOn(Throwable failure) {
    Verdict first = Classifier.defaults().classify(failure);
    assertThat(Classifier.defaults().classify(failure)).isEqualTo(first);
    return first;
  }

  @Test
  void whatExtendsNothingInParticularIsUnknown() {
    for (Throwable failure : List.of(new Own(), new OwnUnchecked(), new OwnThrowable())) {
      assertThat(verdictOn(failure)).isSameAs(Verdict.UNKNOWN);
    }
  }

  @Test
  void whatExtendsIoExceptionIsJudgedAsOne() {
    Verdict any = verdictOn(new IOException("plain"));
    assertThat(any.basis()).isEqualTo(Verdict.Basis.GENERIC);
    assertThat(verdictOn(new OwnIo())).isEqualTo(any);
    assertThat(verdictOn(new OwnOfOwnIo())).isEqualTo(any);
    assertThat(Classifier.of().classify(new OwnIo())).isSameAs(Verdict.UNKNOWN);
  }

  @Test
  void whatIsInheritedFromTheJdkCounts() {
    assertThat(verdictOn(new OwnTimeout())).isEqualTo(verdictOn(new TimeoutException()));
    assertThat(verdictOn(new OwnSocketTimeout()).isTimeout()).isTrue();
    assertThat(verdictOn(new OwnSql()).isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(verdictOn(new OwnTls()).reason()).contains("TLS");
  }

  @Test
  void vetoesAreInheritedToo() {
    for (Throwable failure : List.of(new OwnInterrupt(), new OwnCancellation(), new OwnError())) {
      assertThat(verdictOn(failure).isVeto()).isTrue();
      assertThat(verdictOn(new IOException(failure)).isVeto()).isTrue();
      assertThat(Classifier.of().classify(failure).isVeto()).isTrue();
    }
  }

  @Test
  void whatSpeaksOfItselfIsAskedForEachFailure() {
    assertThat(verdictOn(new OwnFault()).basis()).isEqualTo(Verdict.Basis.INDICATION);
    assertThat(verdictOn(new OwnOfOwnFault())).isEqualTo(verdictOn(new OwnFault()));
  }

  @Test
  void theCauseOfAnOwnExceptionDecidesAsEver() {
    Own failure = new Own();
    failure.initCause(new OwnTimeout());

    assertThat(verdictOn(failure)).isEqualTo(verdictOn(new TimeoutException()));
  }

  @Test
  void aRuleKeepsTheFactsThatWereToldBefore() {
    FailureRule throttle =
        (failure, soFar) ->
            soFar.isThrottle() ? soFar : soFar.withThrottle().withRetryAfter(Duration.ofSeconds(3));
    Classifier classifier = Classifier.defaults().with(throttle, FailureRule.retryOn(Own.class));

    Verdict verdict = classifier.classify(new Own());

    assertThat(verdict.isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(verdict.reason()).isEqualTo("a rule allows Own");
    assertThat(verdict.isThrottle()).isTrue();
    assertThat(verdict.retryAfter()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void aRuleSaysTheSameOfAllItsTypesAndOfNoOthers() {
    Classifier classifier =
        Classifier.defaults().with(FailureRule.retryOn(Own.class, OwnUnchecked.class));

    assertThat(classifier.classify(new Own())).isSameAs(classifier.classify(new OwnUnchecked()));
    assertThat(classifier.classify(new OwnThrowable())).isSameAs(Verdict.UNKNOWN);
  }
}
