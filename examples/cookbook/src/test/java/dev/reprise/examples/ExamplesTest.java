package dev.reprise.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Runs every example as its reader would, and reads what it prints. */
class ExamplesTest {
  private interface Program {
    void run(String[] args) throws Exception;
  }

  private static String printedBy(Program program) throws Exception {
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (PrintStream recorder = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      System.setOut(recorder);
      program.run(new String[0]);
    } finally {
      System.setOut(console);
    }
    return printed.toString(StandardCharsets.UTF_8).strip();
  }

  @Test
  void anHttpCallIsRetried() throws Exception {
    assertThat(printedBy(RetryAnHttpCall::main)).isEqualTo("200 hello after 3");
  }

  @Test
  void onlyA503IsRetried() throws Exception {
    assertThat(printedBy(RetryOnlyOn503::main)).isEqualTo("500 after 2");
  }

  @Test
  void anExceptionIsRetriedByItsStatus() throws Exception {
    assertThat(printedBy(RetryByStatus::main)).isEqualTo("INVALID_ARGUMENT after 2");
  }

  @Test
  void aDoubtfulFailureIsRetriedIfIdempotent() throws Exception {
    assertThat(printedBy(RetryIfIdempotent::main)).isEqualTo("3 reads, 1 addition");
  }

  @Test
  void theHintIsHonoured() throws Exception {
    assertThat(printedBy(HonourRetryAfter::main)).isEqualTo("200 as asked");
  }

  @Test
  void theTotalTimeIsCapped() throws Exception {
    assertThat(printedBy(CapTheTotalTime::main)).isEqualTo("AttemptTimeoutException DEADLINE");
  }

  @Test
  void theBudgetIsShared() throws Exception {
    assertThat(printedBy(ShareABudget::main)).isEqualTo("100 calls, 110 attempts");
  }

  @Test
  void aTestDoesNotWait() throws Exception {
    assertThat(printedBy(TestWithoutWaiting::main))
        .isEqualTo("hello, waited [PT1H, PT2H, PT3H], 4 calls");
  }

  @Test
  void aSocketIsReconnected() throws Exception {
    assertThat(printedBy(ReconnectASocket::main)).isEqualTo("connected at last");
  }

  @Test
  void aTransactionIsRepeatedAsAWhole() throws Exception {
    assertThat(printedBy(RetryInATransaction::main)).isEqualTo("balance 300 after 2 attempts");
  }

  @Test
  void anAsynchronousCallIsRetried() throws Exception {
    assertThat(printedBy(CallAsynchronously::main)).isEqualTo("hello after 5");
  }

  @Test
  void theLogContextIsCarried() throws Exception {
    assertThat(printedBy(CarryTheLogContext::main)).isEqualTo("attempt 2 of r-17");
  }

  @Test
  void retriesAreCounted() throws Exception {
    assertThat(printedBy(CountRetries::main)).isEqualTo("2 attempts, 1 operation");
  }

  @Test
  void retriesAreTraced() throws Exception {
    assertThat(printedBy(TraceRetries::main).lines())
        .containsExactly("retry.attempt", "retry.attempt");
  }

  @Test
  void aMonoIsRetried() throws Exception {
    assertThat(printedBy(RetryAMono::main)).isEqualTo("hello after 2");
  }
}
