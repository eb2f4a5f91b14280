package dev.reprise.lab.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CancellationException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class EventHeapTest {
  private final EventHeap heap = new EventHeap(1000);
  private final List<String> occurred = new ArrayList<>();

  private EventHeap.Event named(String name) {
    return () -> occurred.add(name + "@" + heap.nowNanos());
  }

  @Test
  void eventsOccurInTheOrderOfTheirTimes() {
    heap.schedule(30, named("c"));
    heap.schedule(10, named("a"));
    heap.schedule(20, named("b"));
    heap.runUntil(100);
    assertThat(occurred).containsExactly("a@10", "b@20", "c@30");
    assertThat(heap.occurred()).isEqualTo(3);
  }

  @Test
  void eventsOfTheSameMomentOccurAsTheyWereScheduled() {
    for (int i = 0; i < 20; i++) {
      heap.schedule(5, named("e" + i));
    }
    heap.schedule(
        5,
        () -> {
          heap.schedule(0, named("last"));
          occurred.add("first");
        });
    heap.runUntil(5);
    assertThat(occurred.subList(0, 20)).isSortedAccordingTo(Comparator.comparingInt(this::number));
    assertThat(occurred.subList(20, 22)).containsExactly("first", "last@5");
  }

  private int number(String event) {
    return Integer.parseInt(event.substring(1, event.indexOf('@')));
  }

  @Test
  void whatIsLaterThanTheEndStays() {
    heap.schedule(10, named("a"));
    heap.schedule(11, named("b"));
    heap.runUntil(10);
    assertThat(occurred).containsExactly("a@10");
    heap.runUntil(11);
    assertThat(occurred).containsExactly("a@10", "b@11");
  }

  @Test
  void aStoppedHeapRunsNoFurtherEvent() {
    heap.schedule(10, heap::stop);
    heap.schedule(10, named("b"));
    heap.runUntil(100);
    assertThat(occurred).isEmpty();
  }

  @Test
  void aDelayBeyondTheEndOfTimeEndsThere() {
    heap.schedule(10, () -> heap.schedule(Long.MAX_VALUE, named("z")));
    heap.runUntil(Long.MAX_VALUE - 1);
    assertThat(occurred).isEmpty();
    heap.runUntil(Long.MAX_VALUE);
    assertThat(occurred).containsExactly("z@" + Long.MAX_VALUE);
  }

  @Test
  void eventsWithoutEndAtOneMomentAreRefused() {
    EventHeap.Event[] again = new EventHeap.Event[1];
    again[0] = () -> heap.schedule(0, again[0]);
    heap.schedule(2_000_000_000, again[0]);
    assertThatThrownBy(() -> heap.runUntil(Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("more than 1000 events at 2.0 s:");
  }

  @Test
  void anInterruptEndsTheRun() {
    EventHeap.Event[] again = new EventHeap.Event[1];
    again[0] = () -> heap.schedule(1, again[0]);
    heap.schedule(0, again[0]);
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> heap.runUntil(Long.MAX_VALUE))
          .isInstanceOf(CancellationException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  private record Reference(long atNanos, int order) {}

  /** Events that schedule none, one or several further ones, as {@link PriorityQueue} has them. */
  @Property(tries = 200)
  void theOrderIsThatOfASortedList(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int start) {
    CounterRandom delays = new CounterRandom(seed);
    List<Reference> ours = new ArrayList<>();
    EventHeap tested = new EventHeap(Long.MAX_VALUE);
    int[] orders = new int[1];
    class Node implements EventHeap.Event {
      private final int order = orders[0]++;

      @Override
      public void occur() {
        ours.add(new Reference(tested.nowNanos(), order));
        delays.at(order, 0);
        int children = ours.size() < 500 ? delays.nextInt(3) : 0;
        for (int i = 0; i < children; i++) {
          tested.schedule(delays.nextInt(4), new Node());
        }
      }
    }
    for (int i = 0; i < start; i++) {
      tested.schedule(i % 3, new Node());
    }
    tested.runUntil(Long.MAX_VALUE);

    PriorityQueue<Reference> queue =
        new PriorityQueue<>(
            Comparator.comparingLong(Reference::atNanos).thenComparingInt(Reference::order));
    List<Reference> expected = new ArrayList<>();
    int order = 0;
    for (int i = 0; i < start; i++) {
      queue.add(new Reference(i % 3, order++));
    }
    while (!queue.isEmpty()) {
      Reference next = queue.remove();
      expected.add(next);
      delays.at(next.order(), 0);
      int children = expected.size() < 500 ? delays.nextInt(3) : 0;
      for (int i = 0; i < children; i++) {
        queue.add(new Reference(next.atNanos() + delays.nextInt(4), order++));
      }
    }
    assertThat(ours).isEqualTo(expected);
  }
}
