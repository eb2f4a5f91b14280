package dev.reprise.endpoints.sms;

import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.smpp.pdu.SubmitSm;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.fixtures.Await;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many things that happen to one carrier at the same time. */
class SmppEventsTest {
  private static final int WINDOW = 40;

  private static SmsCentre centre;

  private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();

  @BeforeAll
  static void open() throws Exception {
    centre = new SmsCentre();
  }

  @AfterAll
  static void close() {
    centre.close();
  }

  @AfterEach
  void reset() {
    later.shutdownNow();
    centre.reset();
  }

  @Test
  void eachOutcomeMayBeginTheNextAttempt() throws Exception {
    int count = 20_000;
    AtomicIntegerArray outcomes = new AtomicIntegerArray(count);
    AtomicInteger next = new AtomicInteger(WINDOW);
    CountDownLatch ended = new CountDownLatch(count);
    try (SmppSetting setting = new SmppSetting(centre.address(), WINDOW, "\"binds\": 2")) {
      setting.awaitConnections(2);
      for (int i = 0; i < WINDOW; i++) {
        begin(setting, i, outcomes, next, ended);
      }
      assertThat(ended.await(5, TimeUnit.MINUTES)).isTrue();
      assertThat(IntStream.range(0, count).map(outcomes::get)).containsOnly(1);
      assertThat(setting.carrier.state().inFlight()).isZero();
      assertThat(centre.sessions).allMatch(each -> each.mostUnanswered() <= WINDOW / 2);
    }
  }

  private static void begin(
      SmppSetting setting,
      int number,
      AtomicIntegerArray outcomes,
      AtomicInteger next,
      CountDownLatch ended) {
    setting.carrier.send(
        SmppSetting.attempt("message " + number),
        outcome -> {
          assertThat(outcome.succeeded()).isTrue();
          outcomes.incrementAndGet(number);
          ended.countDown();
          int following = next.getAndIncrement();
          if (following < outcomes.length()) {
            begin(setting, following, outcomes, next, ended);
          }
        });
  }

  @Test
  void attemptsThatAreSentAgainAtOnceDoNotPileUp() throws Exception {
    centre.answerBinds(0x0d);
    AtomicInteger refused = new AtomicInteger();
    CountDownLatch ended = new CountDownLatch(1);
    try (SmppSetting setting = new SmppSetting(centre.address(), WINDOW, "")) {
      sendAgain(setting, refused, ended);
      assertThat(ended.await(5, TimeUnit.MINUTES)).isTrue();
      assertThat(refused).hasValue(20_000);
    }
  }

  private static void sendAgain(SmppSetting setting, AtomicInteger refused, CountDownLatch ended) {
    setting.carrier.send(
        SmppSetting.attempt("hello"),
        outcome -> {
          if (refused.incrementAndGet() == 20_000) {
            ended.countDown();
          } else {
            sendAgain(setting, refused, ended);
          }
        });
  }

  @Test
  void aCallbackThatThrowsHoldsNothingUp() throws Exception {
    CountDownLatch thrown = new CountDownLatch(2);
    try (SmppSetting setting = SmppSetting.bound(centre.address(), WINDOW, "")) {
      for (Throwable each :
          List.of(new IllegalStateException("mine"), new AssertionError("mine"))) {
        setting.carrier.send(
            SmppSetting.attempt("hello"),
            outcome -> {
              thrown.countDown();
              SmppEventsTest.<RuntimeException>sneak(each);
            });
      }
      assertThat(thrown.await(5, TimeUnit.MINUTES)).isTrue();
      assertThat(setting.send("the next").succeeded()).isTrue();
      assertThat(setting.carrier.state().inFlight()).isZero();
    }
  }

  @SuppressWarnings("unchecked") // An error goes through as it is.
  private static <T extends Throwable> void sneak(Throwable each) throws T {
    throw (T) each;
  }

  @Test
  void aCallbackMayCloseTheCarrier() throws Exception {
    SmppSetting setting = SmppSetting.bound(centre.address(), WINDOW, "");
    CompletableFuture<AttemptOutcome> closed = new CompletableFuture<>();
    setting.carrier.send(
        SmppSetting.attempt("hello"),
        outcome -> {
          setting.close();
          closed.complete(outcome);
        });

    assertThat(closed.get(5, TimeUnit.MINUTES).succeeded()).isTrue();
    Await.until("no connection", () -> setting.carrier.state().connections() == 0);
    assertThat(setting.send("late").made()).isFalse();
  }

  /** Answers come, come late, come twice and never; connections end; the carrier is closed. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whateverHappensThereIsOneOutcome(long seed) throws Exception {
    int count = 2_000;
    Random random = new Random(seed);
    AtomicIntegerArray outcomes = new AtomicIntegerArray(count);
    centre.onSubmit((session, submit) -> misbehave(session, submit, random));
    SmppSetting setting = new SmppSetting(centre.address(), WINDOW, "\"binds\": 2");
    setting.awaitConnections(2);
    CountDownLatch half = new CountDownLatch(count / 2);
    List<Thread> senders =
        IntStream.range(0, 4)
            .mapToObj(first -> new Thread(() -> sendEach(setting, first, outcomes, half)))
            .toList();
    senders.forEach(Thread::start);
    assertThat(half.await(5, TimeUnit.MINUTES)).isTrue();
    setting.close();
    for (Thread sender : senders) {
      sender.join();
    }

    Await.until(
        "each has an outcome", () -> IntStream.range(0, count).allMatch(i -> outcomes.get(i) > 0));
    assertThat(IntStream.range(0, count).map(outcomes::get)).containsOnly(1);
    assertThat(setting.carrier.state().inFlight()).isZero();
  }

  private static void sendEach(
      SmppSetting setting, int first, AtomicIntegerArray outcomes, CountDownLatch half) {
    for (int i = first; i < outcomes.length(); i += 4) {
      int number = i;
      CarrierAttempt attempt =
          TestAttempts.withTimeout(
              SmppSetting.attempt("a".repeat(i % 200)), Duration.ofMillis(1 + i % 50));
      CountDownLatch ended = new CountDownLatch(1);
      Consumer<AttemptOutcome> done =
          outcome -> {
            outcomes.incrementAndGet(number);
            half.countDown();
            ended.countDown();
            throw new IllegalStateException("mine");
          };
      try {
        setting.carrier.send(attempt, done);
      } catch (IllegalStateException e) {
        // It was refused at once, and the callback ran on this thread.
        assertThat(e).hasMessage("mine");
      }
      if (i % 32 < 4) {
        try {
          ended.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  private void misbehave(CentreSession session, SubmitSm submit, Random random) {
    int chance;
    synchronized (random) {
      chance = random.nextInt(100);
    }
    if (chance < 2) {
      session.hangUp();
    } else if (chance < 30) {
      var unused =
          later.schedule(() -> centre.take(session, submit), chance, TimeUnit.MILLISECONDS);
    } else if (chance < 40) {
      session.answer(submit, 0x64, null);
      session.answer(submit, 0, "twice");
    } else if (chance < 95) {
      centre.take(session, submit);
    }
  }
}
