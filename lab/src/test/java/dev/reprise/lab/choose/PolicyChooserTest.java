package dev.reprise.lab.choose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.lint.PolicyLinter;
import dev.reprise.lab.lint.Situation;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PolicyChooserTest {
  private static Task task(double rejectionCost, int outageSeconds, Limits limits) {
    return Task.of(100_000, 1_000, rejectionCost, Duration.ofSeconds(outageSeconds), limits, 1);
  }

  private static Choice choose(int threads, Task task) throws InterruptedException {
    return new PolicyChooser(threads, (done, all) -> {}).choose(task);
  }

  @Test
  void recommendsAPolicyWithReasonsAndLimits() throws InterruptedException {
    Task task = task(0.1, 600, Limits.NONE);
    List<String> progress = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger most = new AtomicInteger();

    Choice choice =
        new PolicyChooser(
                2,
                (done, all) -> {
                  progress.add(done + " of " + all);
                  most.accumulateAndGet(done, Math::max);
                  assertThat(done).isLessThanOrEqualTo(all);
                })
            .choose(task);

    Candidate recommended = choice.recommended();
    assertThat(recommended).isNotNull();
    assertThat(choice.searched()).isGreaterThanOrEqualTo(1_000);
    assertThat(choice.pruned()).isPositive();
    assertThat(most.get()).isEqualTo(progress.size());
    // After an outage that is long enough, waiting longer than N/C costs nothing but time.
    assertThat(recommended.regret()).isLessThan(2.5);
    assertThat(recommended.figure(Figure.ATTEMPTS_AFTER_RECOVERY)).isLessThan(1.5);
    assertThat(PolicyLinter.lint(recommended.policy(), Situation.of(task.model())))
        .extracting(Finding::severity)
        .doesNotContain(Severity.ERROR, Severity.WARNING);
    assertThat(choice.document()).isNotNull();
    assertThat(PolicyDocuments.read(choice.document().toString())).isEqualTo(recommended.policy());
    assertThat(choice.reasons().get(0)).contains("of the floor N/C = 100 s");
    assertThat(choice.caveats().get(0)).startsWith("Never recovers if the capacity falls under ");
    assertThat(choice.collapse()).isNotNull();
    assertThat(choice.collapse().capacityShare()).isLessThanOrEqualTo(0.5);
    assertThat(choice.whatIf())
        .extracting(WhatIf::change)
        .containsExactly("capacity halves", "the fleet doubles");
    assertThat(choice.front())
        .isSortedAccordingTo(
            (a, b) -> Double.compare(a.figure(Figure.DRAIN_LAST), b.figure(Figure.DRAIN_LAST)));
  }

  @Test
  void confirmsTheBestDeviceByDevice() throws InterruptedException {
    Choice choice = choose(2, task(0.05, 120, Limits.NONE));

    assertThat(choice.confirmed()).hasSizeBetween(2, 3);
    PolicyResult first = choice.confirmed().get(0);
    assertThat(first.policy()).isEqualTo(choice.recommended().policy());
    assertThat(first.runs()).hasSize(5);
    double simulated =
        first.runs().stream()
            .mapToDouble(run -> run.figures().get(Figure.DRAIN_P99))
            .average()
            .orElseThrow();
    double expected = choice.recommended().figure(Figure.DRAIN_P99);
    assertThat(simulated).isBetween(0.98 * expected, 1.02 * expected);
    double before = 0;
    for (PolicyResult result : choice.confirmed()) {
      double regret =
          result.runs().stream()
              .mapToDouble(run -> Candidate.regret(run.figures()))
              .average()
              .orElseThrow();
      assertThat(regret).isGreaterThanOrEqualTo(before);
      before = regret;
    }
  }

  @Test
  void givesTheSameWhateverTheNumberOfThreads() throws InterruptedException {
    Task task = task(0.1, 30, new Limits(8.0, null, null));
    Choice one = choose(1, task);
    Choice three = choose(3, task);

    assertThat(three.recommended()).isEqualTo(one.recommended());
    assertThat(three.front()).isEqualTo(one.front());
    assertThat(three.reasons()).isEqualTo(one.reasons());
    assertThat(three.caveats()).isEqualTo(one.caveats());
    assertThat(three.whatIf()).isEqualTo(one.whatIf());
    for (int i = 0; i < one.confirmed().size(); i++) {
      for (int run = 0; run < 5; run++) {
        assertThat(three.confirmed().get(i).runs().get(run).figures())
            .isEqualTo(one.confirmed().get(i).runs().get(run).figures());
      }
    }
    assertThat(one.recommended().figure(Figure.PEAK_RATIO)).isLessThanOrEqualTo(8);
    assertThat(one.confirmed().get(0).estimates().get(Figure.PEAK_RATIO).mean())
        .isLessThanOrEqualTo(8);
  }

  @Test
  void saysWhatStandsInTheWay() throws InterruptedException {
    Choice choice = choose(2, task(0.1, 30, new Limits(1.0, Duration.ofSeconds(100), null)));

    assertThat(choice.recommended()).isNull();
    assertThat(choice.document()).isNull();
    assertThat(choice.front()).isNotEmpty();
    assertThat(choice.reasons().get(0))
        .matches("The lowest peak is \\d.* times the capacity; asked for were 1.00.*");
    assertThat(choice.reasons().get(1)).startsWith("99 % are back after ");
    assertThat(choice.reasons())
        .anyMatch(reason -> reason.startsWith("Nearest to all limits together comes "));
  }

  @Test
  void endsWhenItIsInterrupted() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
    Thread caller = Thread.currentThread();
    PolicyChooser chooser =
        new PolicyChooser(
            1,
            (done, all) -> {
              if (ran.incrementAndGet() == 10) {
                caller.interrupt();
                // Goes on only when it is ended, however late the caller notices.
                end.complete(
                    catchThrowable(() -> new CountDownLatch(1).await(1, TimeUnit.MINUTES)));
              }
            });

    assertThatThrownBy(() -> chooser.choose(task(0.1, 30, Limits.NONE)))
        .isInstanceOf(InterruptedException.class);
    assertThat(end.get(1, TimeUnit.MINUTES)).isInstanceOf(InterruptedException.class);
    assertThat(ran).hasValue(10);
  }

  @Test
  void recommendsNothingThatItsOwnSimulationShowsBreakingTheLimits() throws InterruptedException {
    // By the mean field 1.755 is kept; 20,000 devices have a peak of 2.07.
    Task task = Task.of(20_000, 100, 0, Duration.ofSeconds(60), new Limits(1.76, null, null), 1);

    Choice choice = choose(2, task);

    assertThat(choice.recommended()).isNull();
    assertThat(choice.reasons().get(1)).contains(" by the mean field, and none device by device.");
    assertThat(choice.front())
        .anyMatch(each -> each.name().matches(".*\\(first retry after \\d+ s\\)"));
  }
}
