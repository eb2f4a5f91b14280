package dev.reprise.delivery.carrier;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.http.HttpSender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Which attempts are let in, and that each gets one outcome. */
final class CarrierWindowTest {
  private static final int MOST = 3;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Block DOWN = new Block(Duration.ofSeconds(9), "down");

  private final CarrierWindow<AttemptUnderWay> window = new CarrierWindow<>(new Surroundings());
  private final BlockingQueue<AttemptOutcome> told = new LinkedBlockingQueue<>();

  private static CarrierAttempt attempt(Duration timeout) {
    return new CarrierAttempt(
        new MessageId(1, 2),
        1,
        "orders",
        "orders-7",
        Protocol.QUEUE,
        "orders",
        new CarrierContent("text/plain", "hello".getBytes(UTF_8)),
        JsonMapper.shared().createObjectNode(),
        timeout,
        () -> true);
  }

  private AttemptUnderWay attempt() {
    return new AttemptUnderWay(window, attempt(LONG), told::add);
  }

  private AttemptUnderWay begun() {
    AttemptUnderWay attempt = attempt();
    assertThat(window.refusal(attempt, () -> null)).isNull();
    return attempt;
  }

  private Block refused() {
    AttemptOutcome refusal = window.refusal(attempt(), () -> null);
    return Objects.requireNonNull(Objects.requireNonNull(refusal).block());
  }

  @Test
  void noMoreThanTheMostAreUnderWay() {
    List<AttemptUnderWay> begun = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      begun.add(begun());
    }

    assertThat(refused())
        .isEqualTo(
            new Block(Duration.ofMillis(100), "3 attempts are under way, the most there may be"));
    assertThat(window.count()).isEqualTo(MOST);
    assertThat(window.underWay()).containsExactlyInAnyOrderElementsOf(begun);

    begun.get(0).end(null, "taken");
    begun();
    assertThat(window.count()).isEqualTo(MOST);
  }

  @Test
  void whoeverIsToldMaySendTheNextOne() {
    List<AttemptUnderWay> begun = new ArrayList<>();
    begun.add(new AttemptUnderWay(window, attempt(LONG), outcome -> begun.add(begun())));
    assertThat(window.refusal(begun.get(0), () -> null)).isNull();
    begun.add(begun());
    begun.add(begun());

    begun.get(0).end(null, "taken");

    assertThat(begun).hasSize(4);
    assertThat(window.count()).isEqualTo(MOST);
  }

  @Test
  void aFaultIsAskedAtLast() {
    AtomicInteger asked = new AtomicInteger();
    AttemptOutcome refusal =
        window.refusal(
            attempt(),
            () -> {
              asked.incrementAndGet();
              return AttemptOutcome.givenBack(DOWN);
            });
    assertThat(Objects.requireNonNull(refusal).block()).isEqualTo(DOWN);
    assertThat(window.count()).isZero();
    assertThat(window.underWay()).isEmpty();

    for (int i = 0; i < MOST; i++) {
      begun();
    }
    assertThat(window.refusal(attempt(), this::mustNotBeAsked)).isNotNull();
    window.close();
    assertThat(window.refusal(attempt(), this::mustNotBeAsked)).isNotNull();
    assertThat(asked).hasValue(1);
    assertThat(told).isEmpty();
  }

  private AttemptOutcome mustNotBeAsked() {
    throw new AssertionError("asked of an attempt that is refused anyway");
  }

  @Test
  void aClosedCarrierGivesBack() throws InterruptedException {
    AttemptUnderWay left = begun();
    assertThat(window.isClosed()).isFalse();

    assertThat(window.close()).isTrue();
    assertThat(window.close()).isFalse();

    assertThat(window.isClosed()).isTrue();
    assertThat(refused())
        .isEqualTo(new Block(Duration.ofSeconds(1), "the carrier is closed"))
        .isEqualTo(CarrierWindow.CLOSED);
    assertThat(window.awaitEmpty(Duration.ZERO)).isFalse();
    CompletableFuture<Void> ended =
        CompletableFuture.runAsync(() -> left.giveBack(CarrierWindow.CLOSED));
    assertThat(window.awaitEmpty(LONG)).isTrue();
    ended.join();
    assertThat(told).hasSize(1);
    assertThat(told.remove().made()).isFalse();
  }

  @Test
  void oneThatIsClosedMeanwhileIsNotRefusedAsWell() {
    AttemptOutcome refusal =
        window.refusal(
            attempt(),
            () -> {
              window.close();
              window.underWay().forEach(each -> each.giveBack(CarrierWindow.CLOSED));
              return AttemptOutcome.givenBack(DOWN);
            });

    assertThat(refusal).isNull();
    assertThat(told).hasSize(1);
    assertThat(window.count()).isZero();
  }

  @Test
  void theFirstOutcomeIsTheOnlyOne() {
    AttemptUnderWay attempt = begun();
    assertThat(attempt.hasOutcome()).isFalse();
    attempt.end(attempt.outcome(CarrierFailure.TIMEOUT, 7, "late"));
    attempt.end(null, "taken");
    attempt.giveBack(DOWN);

    assertThat(attempt.hasOutcome()).isTrue();
    assertThat(attempt.claimOutcome()).isFalse();
    assertThat(told).hasSize(1);
    AttemptOutcome outcome = told.remove();
    assertThat(outcome.failure()).isSameAs(CarrierFailure.TIMEOUT);
    assertThat(outcome.status()).isEqualTo(7);
    assertThat(outcome.summary()).isEqualTo("late");
    assertThat(outcome.made()).isTrue();
    assertThat(window.count()).isZero();
  }

  @Test
  void oneOfManyThreadsTellsTheOutcome() throws Exception {
    int threads = 4;
    for (int round = 0; round < 200; round++) {
      AttemptUnderWay attempt = begun();
      CyclicBarrier start = new CyclicBarrier(threads);
      List<CompletableFuture<Void>> ends = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        ends.add(end);
        Thread thread =
            new Thread(
                () -> {
                  try {
                    start.await();
                    attempt.end(null, "taken");
                    end.complete(null);
                  } catch (Exception e) {
                    end.completeExceptionally(e);
                  }
                });
        thread.start();
      }
      ends.forEach(CompletableFuture::join);
      assertThat(told).hasSize(1);
      told.clear();
      assertThat(window.count()).isZero();
    }
  }

  @Test
  void anOutcomeThatIsNotTakenHarmsNobody() {
    AttemptUnderWay attempt =
        new AttemptUnderWay(
            window,
            attempt(LONG),
            outcome -> {
              throw new IllegalStateException("intended");
            });
    assertThat(window.refusal(attempt, () -> null)).isNull();

    attempt.end(null, "taken");

    assertThat(window.count()).isZero();
  }

  @Test
  void anAttemptIsHeardOfWhenItsTimeIsOver() throws InterruptedException {
    CarrierWindow<AttemptUnderWay> timed =
        new CarrierWindow<>(
            new Surroundings(), each -> each.end(CarrierFailure.TIMEOUT, "too late"));
    Duration limit = Duration.ofMillis(1);
    AttemptUnderWay attempt = new AttemptUnderWay(timed, attempt(limit), told::add);
    assertThat(timed.refusal(attempt, () -> null)).isNull();

    AttemptOutcome outcome = told.poll(LONG.toSeconds(), TimeUnit.SECONDS);

    assertThat(Objects.requireNonNull(outcome).summary()).isEqualTo("too late");
    assertThat(outcome.durationNanos()).isGreaterThanOrEqualTo(limit.toNanos());
  }

  /** The surroundings of a carrier that allow few attempts, and nothing else. */
  private static final class Surroundings implements CarrierContext {
    @Override
    public String name() {
      return "test";
    }

    @Override
    public int maxInFlight() {
      return MOST;
    }

    @Override
    public HttpSender http() {
      throw new IllegalStateException("there is no HTTP");
    }

    @Override
    public AddressGuard guard() {
      throw new IllegalStateException("there is no HTTP");
    }

    @Override
    public void received(Receipt receipt) {
      throw new IllegalStateException("there are no receipts");
    }

    @Override
    public void recovered() {
      throw new IllegalStateException("there are no faults");
    }
  }
}
