package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.strategy.RetryStrategies;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What hangs on the calling thread is there in every attempt, on whatever thread it runs. */
class ContextCaptureTest {
  private static final ThreadLocal<String> USER = ThreadLocal.withInitial(() -> "nobody");

  private final ExecutorService otherThread = Executors.newSingleThreadExecutor();
  private final List<String> seen = new ArrayList<>();
  private final Retry retry =
      Retry.builder()
          .strategy(RetryStrategies.of(Backoff.none(), Classifier.defaults(), 3))
          .executor(otherThread)
          .context(ContextCaptureTest::capture)
          .build();

  private static ContextCapture.Snapshot capture() {
    String captured = USER.get();
    return task -> {
      String before = USER.get();
      USER.set(captured);
      try {
        task.run();
      } finally {
        USER.set(before);
      }
    };
  }

  @BeforeEach
  void beSomebody() {
    USER.set("ada");
  }

  @AfterEach
  void close() {
    USER.remove();
    otherThread.shutdownNow();
  }

  /** Fails twice, and notes as whom it was called. */
  private String attempt() throws ConnectException {
    seen.add(USER.get());
    if (seen.size() < 3) {
      throw new ConnectException("refused");
    }
    return "done";
  }

  @Test
  void blockingAttemptsOnAnotherThreadHaveIt() throws Exception {
    assertThat(retry.submit(this::attempt).get(300, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(seen).containsExactly("ada", "ada", "ada");
  }

  @Test
  void attemptsWithATimeoutHaveIt() throws Exception {
    Retry timed = retry.toBuilder().attemptTimeout(Duration.ofHours(1)).build();
    assertThat(timed.call(this::attempt)).isEqualTo("done");
    assertThat(seen).containsExactly("ada", "ada", "ada");
  }

  @Test
  void ofTwoCapturesTheOtherIsEnteredLastAndLeftFirst() {
    List<String> steps = new ArrayList<>();
    ContextCapture joined = noting("outer", steps).and(noting("inner", steps));

    joined.capture().run(() -> steps.add("attempt"));

    assertThat(steps)
        .containsExactly(
            "capture outer",
            "capture inner",
            "enter outer",
            "enter inner",
            "attempt",
            "leave inner",
            "leave outer");
  }

  private static ContextCapture noting(String name, List<String> steps) {
    return () -> {
      steps.add("capture " + name);
      return task -> {
        steps.add("enter " + name);
        task.run();
        steps.add("leave " + name);
      };
    };
  }

  @Test
  void aFaultyCaptureDoesNotLoseTheOtherContext() throws Exception {
    ContextCapture faulty =
        () -> {
          throw new IllegalStateException("no context");
        };
    for (ContextCapture joined : bothOrders(faulty)) {
      seen.clear();
      Retry carrying = retry.toBuilder().context(joined).build();
      assertThat(carrying.submit(this::attempt).get(300, TimeUnit.SECONDS)).isEqualTo("done");
      assertThat(seen).containsExactly("ada", "ada", "ada");
    }
  }

  @Test
  void aContextThatCannotBeEnteredDoesNotLoseTheOther() throws Exception {
    ContextCapture faulty =
        () ->
            task -> {
              throw new IllegalStateException("no entry");
            };
    for (ContextCapture joined : bothOrders(faulty)) {
      seen.clear();
      Retry carrying = retry.toBuilder().context(joined).build();
      assertThat(carrying.submit(this::attempt).get(300, TimeUnit.SECONDS)).isEqualTo("done");
      assertThat(seen).containsExactly("ada", "ada", "ada");
    }
  }

  private static List<ContextCapture> bothOrders(ContextCapture faulty) {
    ContextCapture sound = ContextCaptureTest::capture;
    return List.of(faulty.and(sound), sound.and(faulty));
  }

  @Test
  void whatTheTaskThrowsIsThrownByJoinedContexts() {
    ContextCapture.Snapshot joined =
        noting("outer", new ArrayList<>()).and(noting("inner", new ArrayList<>())).capture();
    IllegalStateException failure = new IllegalStateException("of the task");

    assertThatThrownBy(
            () ->
                joined.run(
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
  }

  @Test
  void attemptsAreOnTheCallingThreadUnlessTheyAreCutOffOrDoubled() {
    Retry idempotent = retry.withIdempotent(true);
    assertThat(retry.isOnCallingThread()).isTrue();
    assertThat(retry.withDeadline(Duration.ofHours(1)).isOnCallingThread()).isTrue();
    assertThat(retry.toBuilder().attemptTimeout(Duration.ofHours(1)).build().isOnCallingThread())
        .isFalse();
    assertThat(
            idempotent.toBuilder()
                .hedging(Hedging.after(Duration.ofHours(1)))
                .build()
                .isOnCallingThread())
        .isFalse();
  }

  @Test
  void asynchronousAttemptsHaveIt() throws Exception {
    CompletableFuture<String> done =
        retry.callAsync(
            () -> {
              seen.add(USER.get());
              return CompletableFuture.supplyAsync(
                  () -> {
                    if (seen.size() < 3) {
                      throw new UncheckedIOException(new ConnectException("refused"));
                    }
                    return "done";
                  },
                  otherThread);
            });
    assertThat(done.get(300, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(seen).containsExactly("ada", "ada", "ada");
  }

  @Test
  void theOtherThreadIsLeftAsItWas() throws Exception {
    retry.submit(this::attempt).get(300, TimeUnit.SECONDS);
    assertThat(otherThread.submit(USER::get).get(300, TimeUnit.SECONDS)).isEqualTo("nobody");
  }
}
