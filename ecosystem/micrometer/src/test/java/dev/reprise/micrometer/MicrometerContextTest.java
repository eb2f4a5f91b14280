package dev.reprise.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Hedging;
import dev.reprise.core.retry.Retry;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever is registered with Micrometer's context propagation is in every attempt and event. */
class MicrometerContextTest {
  private static final ThreadLocal<String> USER = new ThreadLocal<>();

  private final ContextRegistry registry =
      new ContextRegistry().registerThreadLocalAccessor("user", USER);
  private final ExecutorService otherThread = Executors.newSingleThreadExecutor();
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());
  private final Retry retry =
      Retry.builder()
          .backoff(Backoff.none())
          .executor(otherThread)
          .listener(event -> told.add(USER.get()))
          .context(
              MicrometerContext.of(
                  ContextSnapshotFactory.builder()
                      .contextRegistry(registry)
                      .clearMissing(true)
                      .build()))
          .build();

  @BeforeEach
  void signIn() {
    USER.set("ada");
  }

  @AfterEach
  void close() {
    USER.remove();
    otherThread.shutdownNow();
  }

  private String attempt() throws ConnectException {
    seen.add(USER.get());
    if (seen.size() < 3) {
      throw new ConnectException("refused");
    }
    return "done";
  }

  @Test
  void attemptsWithATimeLimitAndTheirEventsHaveIt() throws Exception {
    retry.toBuilder().attemptTimeout(Duration.ofHours(1)).build().call(this::attempt);

    assertThat(seen).containsExactly("ada", "ada", "ada");
    assertThat(told).containsExactly("ada", "ada", "ada");
  }

  @Test
  void laterAttemptsOfAnAsynchronousCallHaveIt() throws Exception {
    CompletableFuture<String> done =
        retry.callAsync(() -> CompletableFuture.completedFuture(attempt()));
    assertThat(done.get(300, TimeUnit.SECONDS)).isEqualTo("done");

    assertThat(seen).containsExactly("ada", "ada", "ada");
    assertThat(told).containsExactly("ada", "ada", "ada");
  }

  @Test
  void hedgesHaveIt() throws Exception {
    Retry hedged =
        retry.toBuilder()
            .executor(Runnable::run)
            .idempotent(true)
            .hedging(Hedging.after(Duration.ofMillis(1)))
            .build();
    CompletableFuture<String> first = new CompletableFuture<>();

    String result =
        hedged
            .callAsync(
                () -> {
                  seen.add(USER.get());
                  return seen.size() == 1 ? first : CompletableFuture.completedFuture("second");
                })
            .get(300, TimeUnit.SECONDS);

    assertThat(result).isEqualTo("second");
    assertThat(seen).containsExactly("ada", "ada");
  }

  @Test
  void theThreadHasAfterwardsWhatItHadBefore() throws Exception {
    otherThread.submit(() -> USER.set("grace")).get(300, TimeUnit.SECONDS);

    retry.submit(this::attempt).get(300, TimeUnit.SECONDS);

    assertThat(seen).containsExactly("ada", "ada", "ada");
    assertThat(otherThread.submit(USER::get).get(300, TimeUnit.SECONDS)).isEqualTo("grace");
  }

  @Test
  void whatTheCallerDoesNotHaveIsNotThatOfAnother() throws Exception {
    otherThread.submit(() -> USER.set("grace")).get(300, TimeUnit.SECONDS);
    USER.remove();

    retry.submit(this::attempt).get(300, TimeUnit.SECONDS);

    assertThat(seen).containsExactly(null, null, null);
  }

  @Test
  void theCurrentObservationIsRegisteredByItsLibrary() throws Exception {
    ObservationRegistry observations = ObservationRegistry.create();
    observations.observationConfig().observationHandler(context -> true);
    Observation checkout = Observation.start("checkout", observations);
    Retry carrying = Retry.builder().context(MicrometerContext.ofCaller()).build();

    CompletableFuture<Observation> current;
    try (Observation.Scope scope = checkout.openScope()) {
      assertThat(scope.getCurrentObservation()).isSameAs(checkout);
      current = carrying.submit(observations::getCurrentObservation);
    }

    assertThat(current.get(300, TimeUnit.SECONDS)).isSameAs(checkout);
  }
}
