package dev.reprise.core.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.AllocatedBytes;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerWheelTest {
  private static final long LAST_TICK = (1L << 45) - 1;

  private final TimerWheel wheel = new TimerWheel();
  private final List<Throwable> thrown = new ArrayList<>();
  private final List<String> ran = new ArrayList<>();

  @AfterEach
  void nothingWasThrownUnseen() {
    assertThat(thrown).isEmpty();
  }

  private void advanceTo(long tick) {
    wheel.advanceTo(tick, thrown::add);
  }

  private Timeout add(long tick, String name) {
    return wheel.add(tick, () -> ran.add(name));
  }

  @ParameterizedTest
  @ValueSource(
      longs = {1, 2, 63, 64, 65, 4_095, 4_096, 4_097, 262_144, 1L << 30, (1L << 36) + 1, LAST_TICK})
  void runsAtItsTickAndNotBefore(long tick) {
    add(tick, "it");

    advanceTo(tick / 2);
    advanceTo(tick - 1);
    assertThat(ran).isEmpty();
    advanceTo(tick);
    assertThat(ran).containsExactly("it");
    advanceTo(tick + 1_000);
    assertThat(ran).hasSize(1);
    assertThat(wheel.isEmpty()).isTrue();
  }

  @Test
  void runsInTheOrderOfTicksWhateverTheOrderOfAdding() {
    add(70_000, "d");
    add(3, "a");
    add(5_000, "c");
    add(64, "b");
    add(LAST_TICK, "e");

    advanceTo(LAST_TICK);

    assertThat(ran).containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  void runsWhatIsAddedTooLateAtTheNextAdvance() {
    advanceTo(1_000);

    add(0, "a");
    add(1_000, "b");
    assertThat(wheel.nextVisitTick()).isEqualTo(1_000);
    advanceTo(1_000);

    assertThat(ran).containsExactly("a", "b");
    assertThat(wheel.nextVisitTick()).isEqualTo(TimerWheel.NOTHING);
  }

  @Test
  void tellsWhenItMustBeVisitedNext() {
    assertThat(wheel.nextVisitTick()).isEqualTo(TimerWheel.NOTHING);
    add(4_096 * 3 + 70, "far");
    assertThat(wheel.nextVisitTick()).isEqualTo(4_096 * 3);
    add(5, "near");
    assertThat(wheel.nextVisitTick()).isEqualTo(5);

    advanceTo(5);
    assertThat(wheel.nextVisitTick()).isEqualTo(4_096 * 3);
    advanceTo(4_096 * 3);
    assertThat(wheel.nextVisitTick()).isEqualTo(4_096 * 3 + 64);
    advanceTo(4_096 * 3 + 64);
    assertThat(wheel.nextVisitTick()).isEqualTo(4_096 * 3 + 70);
    assertThat(ran).containsExactly("near");
  }

  @Test
  void aCancelledTaskNeverRuns() {
    Timeout near = add(5, "near");
    Timeout far = add(50_000, "far");
    add(5, "other");

    assertThat(near.cancel()).isTrue();
    assertThat(near.cancel()).isFalse();
    assertThat(far.cancel()).isTrue();
    advanceTo(100_000);

    assertThat(ran).containsExactly("other");
    assertThat(near.cancel()).isFalse();
  }

  @Test
  void whatHasRunCannotBeCancelled() {
    Timeout timeout = add(5, "it");
    advanceTo(5);

    assertThat(timeout.cancel()).isFalse();
    assertThat(ran).containsExactly("it");
  }

  @Test
  void aTaskCannotCancelItselfButWhatIsDueAtTheSameTick() {
    Timeout[] timeouts = new Timeout[3];
    List<Boolean> answers = new ArrayList<>();
    timeouts[0] =
        wheel.add(
            5,
            () -> {
              ran.add("first");
              answers.add(timeouts[0].cancel());
              answers.add(timeouts[1].cancel());
            });
    timeouts[1] = add(5, "second");
    timeouts[2] = add(5, "third");

    advanceTo(5);

    assertThat(ran).containsExactly("first", "third");
    assertThat(answers).containsExactly(false, true);
  }

  /** A slot of more than 64 is moved down in parts; here a task looks at it in between. */
  @Test
  void canBeCancelledWhileItsSlotIsMovedDown() {
    int count = 1_000;
    Timeout[] timeouts = new Timeout[count];
    for (int i = 0; i < count; i++) {
      int number = i;
      timeouts[i] =
          wheel.add(
              4_096,
              () -> {
                ran.add("run " + number);
                timeouts[(number + count / 2) % count].cancel();
              });
    }

    advanceTo(4_096);

    assertThat(ran).hasSize(count / 2);
    assertThat(wheel.isEmpty()).isTrue();
  }

  @Test
  void tasksAddTasks() {
    wheel.add(
        5,
        () -> {
          add(3, "too late");
          add(5, "at once");
          add(6, "next");
          add(9, "later");
          ran.add("first");
        });

    advanceTo(8);
    assertThat(ran).containsExactly("first", "next");
    advanceTo(8);
    assertThat(ran).containsExactly("first", "next", "too late", "at once");
    advanceTo(9);
    assertThat(ran).endsWith("later");
  }

  @Test
  void aTaskThatAddsItselfAgainAndAgainHoldsUpNobody() {
    Runnable[] again = new Runnable[1];
    again[0] =
        () -> {
          ran.add("again");
          wheel.add(0, again[0]);
        };
    wheel.add(0, again[0]);

    advanceTo(10);
    assertThat(ran).hasSize(1);
    advanceTo(10);
    assertThat(ran).hasSize(2);
  }

  @Test
  void aTaskThatThrowsHurtsNoOther() {
    RuntimeException exception = new IllegalStateException("on purpose");
    Error error = new AssertionError("on purpose too");
    add(1, "before");
    wheel.add(
        2,
        () -> {
          throw exception;
        });
    wheel.add(
        2,
        () -> {
          throw error;
        });
    add(3, "after");

    advanceTo(3);

    assertThat(ran).containsExactly("before", "after");
    assertThat(thrown).containsExactly(exception, error);
    thrown.clear();
  }

  @Test
  void aMillionThatAreCancelledLeaveNothing() {
    int count = 1_000_000;
    SplittableRandom random = new SplittableRandom(4);
    List<Timeout> timeouts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      timeouts.add(wheel.add(1 + random.nextLong(1L << random.nextInt(40)), () -> ran.add("it")));
    }
    Collections.shuffle(timeouts, new Random(4));

    for (Timeout timeout : timeouts) {
      assertThat(timeout.cancel()).isTrue();
    }

    assertThat(wheel.isEmpty()).isTrue();
    advanceTo(LAST_TICK);
    assertThat(ran).isEmpty();
  }

  @Test
  void aTimeoutIsAtMost48BytesAndCancellingIsFree() {
    int count = 100_000;
    Timeout[] timeouts = new Timeout[count];
    Runnable task = () -> {};

    long bytes =
        AllocatedBytes.ofSecondRun(
            () -> {
              for (int i = 0; i < count; i++) {
                timeouts[i] = wheel.add(1_000 + i, task);
              }
              for (Timeout timeout : timeouts) {
                timeout.cancel();
              }
            });

    assertThat(bytes).isLessThanOrEqualTo(48L * count);
  }

  @Test
  void neitherACancelledNorAnExpiredTimeoutKeepsItsTask() throws InterruptedException {
    List<WeakReference<Object>> states = new ArrayList<>();
    List<Timeout> kept = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      kept.add(addWithState(i < 50 ? 10 : 1_000_000, states));
    }
    advanceTo(10);
    kept.subList(50, 100).forEach(Timeout::cancel);

    while (states.stream().anyMatch(state -> state.get() != null)) {
      System.gc();
      Thread.onSpinWait();
    }

    assertThat(kept).hasSize(100);
    assertThat(ran).hasSize(50);
  }

  private Timeout addWithState(long tick, List<WeakReference<Object>> states) {
    byte[] state = new byte[1_000];
    states.add(new WeakReference<>(state));
    return wheel.add(tick, () -> ran.add("state of " + state.length));
  }
}
