package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Failures that no frame of the program is part of say where in it they belong. */
@Timeout(60)
class PlaceOfFailureTest {
  private static final Duration SOON = Duration.ofMillis(200);

  private static String hangs() throws InterruptedException {
    boolean unused = new CountDownLatch(1).await(1, TimeUnit.MINUTES);
    return "";
  }

  @Test
  void aBlockingAttemptThatIsCutOffShowsWhereItHung() {
    Retry retry = Retry.builder().name("prices").attemptTimeout(SOON).build();

    Throwable failure = catchThrowable(() -> retry.call(PlaceOfFailureTest::hangs));

    assertThat(failure)
        .isInstanceOf(AttemptTimeoutException.class)
        .hasMessageStartingWith("the attempt was cut off after PT0.2S: retry prices, in ")
        .hasMessageContaining(PlaceOfFailureTest.class.getName());
    assertThat(failure.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().equals(PlaceOfFailureTest.class.getName())
                    && frame.getMethodName().equals("hangs"));
  }

  @Test
  void anAsynchronousAttemptThatIsCutOffNamesItsClass() {
    Retry retry = Retry.builder().scope("https://host:443").attemptTimeout(SOON).build();

    Throwable failure =
        catchThrowable(() -> retry.callAsync(() -> new CompletableFuture<String>()).join());

    assertThat(failure).isInstanceOf(CompletionException.class);
    assertThat(failure.getCause())
        .isInstanceOf(AttemptTimeoutException.class)
        .hasMessageEndingWith(
            ": retry retry to https://host:443, in " + PlaceOfFailureTest.class.getName());
  }

  @Test
  void aCancelledOperationNamesTheClassOfItsOperation() {
    CompletableFuture<String> future =
        Retry.ofDefaults().callAsync(() -> new CompletableFuture<String>());
    assertThat(future.cancel(true)).isTrue();

    // What join throws is, on some Java, another exception around this one.
    assertThat(future.handle((result, failure) -> failure).join())
        .hasMessage(
            "the operation was cancelled: retry retry, in " + PlaceOfFailureTest.class.getName());
  }
}
