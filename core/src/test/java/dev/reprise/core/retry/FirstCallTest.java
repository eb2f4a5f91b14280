package dev.reprise.core.retry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The first call of a program waits for each class that it needs, about half a millisecond. A
 * method that returns a class as its superclass makes the verifier load both, even if it is never
 * called: hence the factories that return the supertype.
 */
class FirstCallTest {
  private static final String PACKAGE = "dev.reprise.core.";

  private static final List<String> FOR_FAILURES_AND_ASYNCHRONOUS_CALLS =
      List.of(
          "TokenAcquisitionFailedException",
          "classify.DefaultRules",
          "classify.Verdict",
          "retry.AsyncCall",
          "retry.BlockingLoop",
          "retry.RejectedResultException",
          "retry.RetryLog",
          "retry.RetryStoppedException",
          "strategy.CallState",
          "strategy.FirstDecision",
          "strategy.IssuedToken",
          "strategy.ReplaceableRetryStrategy",
          "strategy.TokenStrategy",
          "timer.DaemonTimer");

  @Test
  void thatSucceedsLoadsNothingForFailuresOrAsynchronousCalls() throws Exception {
    Set<String> loaded = classesLoadedBy(0);

    assertThat(loaded).contains("retry.Retry", "strategy.StandardRetryStrategy");
    assertThat(loaded).doesNotContainAnyElementsOf(FOR_FAILURES_AND_ASYNCHRONOUS_CALLS);
  }

  @Test
  void thatFailsOnceLoadsNothingForStopsOrAsynchronousCalls() throws Exception {
    Set<String> loaded = classesLoadedBy(1);

    assertThat(loaded).contains("retry.BlockingLoop", "classify.Verdict");
    assertThat(loaded)
        .doesNotContain(
            "retry.AsyncCall",
            "retry.RejectedResultException",
            "retry.RetryLog",
            "retry.RetryStoppedException",
            "strategy.Explanation",
            "strategy.IssuedToken",
            "strategy.TokenStrategy",
            "timer.DaemonTimer");
  }

  /** Returns the names of the classes of core, without the package that they have in common. */
  private static Set<String> classesLoadedBy(int failures) throws Exception {
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xlog:class+load:stdout",
                "-cp",
                place(Retry.class) + File.pathSeparator + place(FirstCallTest.class),
                Program.class.getName(),
                Integer.toString(failures))
            .redirectErrorStream(true)
            .start();
    String output = new String(java.getInputStream().readAllBytes(), UTF_8);
    assertThat(java.waitFor()).as(output).isZero();
    return Pattern.compile(Pattern.quote(PACKAGE) + "(\\S+) source: ")
        .matcher(output)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }

  private static Path place(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Is told how often its operation fails. */
  static final class Program {
    private static int failures;

    private Program() {}

    public static void main(String[] args) throws Exception {
      failures = Integer.parseInt(args[0]);
      Retry.builder().maxAttempts(2).build().run(Program::attempt);
    }

    private static void attempt() throws ConnectException {
      if (failures-- > 0) {
        throw new ConnectException("refused");
      }
    }
  }
}
