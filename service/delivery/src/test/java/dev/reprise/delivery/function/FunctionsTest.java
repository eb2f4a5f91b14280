package dev.reprise.delivery.function;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.MessageId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class FunctionsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** A failure that says itself that it is not to be repeated. */
  private static final class FinalException extends Exception implements RetryInfo {
    private static final long serialVersionUID = 1L;

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.NO;
    }
  }

  private interface Body {
    void call(FunctionMessage message) throws Exception;
  }

  private record Named(String name, Body body) implements DeliveryFunction {
    @Override
    public void call(FunctionMessage message) throws Exception {
      body.call(message);
    }
  }

  private final AtomicBoolean mayBegin = new AtomicBoolean(true);
  private Functions functions;

  @AfterEach
  void close() {
    functions.close();
  }

  private static FunctionMessage message() {
    return new FunctionMessage(
        new MessageId(1, 2),
        3,
        "orders",
        "orders-7",
        "text/plain",
        "hello".getBytes(UTF_8),
        JsonMapper.shared().createObjectNode());
  }

  private CompletableFuture<AttemptOutcome> start(Body body, Duration timeout) {
    if (functions == null) {
      functions = new Functions(List.of(new Named("audit", body)));
    }
    CompletableFuture<AttemptOutcome> ended = new CompletableFuture<>();
    functions.call(
        "audit",
        message(),
        timeout,
        mayBegin::get,
        outcome -> {
          if (!ended.complete(outcome)) {
            ended.obtrudeException(new AssertionError("a second outcome: " + outcome));
          }
        });
    return ended;
  }

  private AttemptOutcome call(Body body) throws Exception {
    return start(body, MINUTE).get(1, TimeUnit.MINUTES);
  }

  @Test
  void aFunctionThatReturnsHasTakenTheMessage() throws Exception {
    AtomicReference<FunctionMessage> taken = new AtomicReference<>();
    AttemptOutcome outcome = call(taken::set);

    assertThat(outcome.succeeded()).isTrue();
    assertThat(taken.get().attempt()).isEqualTo(3);
    assertThat(taken.get().subscription()).isEqualTo("orders-7");
    assertThat(taken.get().body()).asString(UTF_8).isEqualTo("hello");
  }

  @Test
  void whatMayNotBeginIsNotCalled() throws Exception {
    mayBegin.set(false);
    AtomicReference<FunctionMessage> taken = new AtomicReference<>();

    assertThat(call(taken::set)).isEqualTo(AttemptOutcome.MAY_NOT_BEGIN);
    assertThat(taken).hasValue(null);
  }

  @Test
  void itsOwnErrorIsRetriedUnlessItSaysOtherwise() throws Exception {
    AttemptOutcome failed =
        call(
            message -> {
              throw new IllegalStateException("no\nroom");
            });
    assertThat(failed.failure().isRetrySafe()).isEqualTo(RetrySafety.YES);
    assertThat(failed.made()).isTrue();
    assertThat(failed.summary())
        .isEqualTo("function failed: java.lang.IllegalStateException: no room");

    functions.close();
    functions = null;
    AttemptOutcome last =
        call(
            message -> {
              throw new FinalException();
            });
    assertThat(last.failure().isRetrySafe()).isEqualTo(RetrySafety.NO);
  }

  @Test
  void anErrorOfTheVirtualMachineEndsTheAttemptAlone() throws Exception {
    AttemptOutcome failed =
        call(
            message -> {
              throw new StackOverflowError();
            });
    assertThat(failed.failure().isRetrySafe()).isEqualTo(RetrySafety.YES);
  }

  @Test
  void aFunctionThatIsNotThereIsPermanent() throws Exception {
    functions = new Functions(List.of());
    AtomicReference<AttemptOutcome> ended = new AtomicReference<>();
    functions.call("nobody", message(), MINUTE, () -> true, ended::set);

    assertThat(ended.get().failure().isRetrySafe()).isEqualTo(RetrySafety.NO);
    assertThat(ended.get().summary()).isEqualTo("no function 'nobody' in this process");
  }

  @Test
  void oneThatTakesTooLongIsInterrupted() throws Exception {
    Semaphore entered = new Semaphore(0);
    Semaphore interrupted = new Semaphore(0);
    // Some are over before they have begun, and some before it is known which thread they have.
    for (int i = 0; i < 300; i++) {
      CompletableFuture<AttemptOutcome> ended =
          start(
              message -> {
                entered.release();
                try {
                  new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                  interrupted.release();
                  throw e;
                }
              },
              Duration.ofNanos(i % 3 == 0 ? 1 : i * 10_000));

      AttemptOutcome outcome = ended.get(1, TimeUnit.MINUTES);
      assertThat(outcome.failure().isTimeout()).isTrue();
      assertThat(outcome.failure().isRetrySafe()).isEqualTo(RetrySafety.YES);
      while (entered.tryAcquire()) {
        assertThat(interrupted.tryAcquire(1, TimeUnit.MINUTES)).as("round %d", i).isTrue();
      }
    }
  }

  @Test
  void whatFindsNoThreadIsGivenBack() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<AttemptOutcome>> all = new ArrayList<>();
    for (int i = 0; i < Functions.MAX_IN_FLIGHT + 5; i++) {
      all.add(start(message -> go.await(), MINUTE));
    }
    assertThat(all.stream().filter(CompletableFuture::isDone)).hasSize(5);
    AttemptOutcome refused =
        all.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow().get();
    assertThat(refused.made()).isFalse();
    assertThat(refused.block()).isNotNull();
    go.countDown();
    for (CompletableFuture<AttemptOutcome> each : all) {
      each.get(1, TimeUnit.MINUTES);
    }
  }

  @Test
  void twoFunctionsOfOneNameAreRefused() {
    functions = new Functions(List.of());
    Named named = new Named("audit", message -> {});
    assertThatThrownBy(() -> new Functions(List.of(named, named)))
        .hasMessage("two functions are called audit");
  }
}
