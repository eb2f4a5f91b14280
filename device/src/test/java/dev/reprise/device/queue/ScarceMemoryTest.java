package dev.reprise.device.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import dev.reprise.testkit.SeededRandom;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Queues in a process that has no memory left now and then, wherever it is needed. */
class ScarceMemoryTest {
  private static final int RUNS = 300;
  private static final int STEPS = 300;

  /** Throws at the beginning of any call, until memory is there again. */
  private static final class ScarceBacklog implements Backlog<MemoryBacklog.Held> {
    private final MemoryBacklog backlog = new MemoryBacklog();
    private final SeededRandom random;
    private boolean isScarce;

    ScarceBacklog(SeededRandom random) {
      this.random = random;
    }

    private MemoryBacklog backlog() {
      if (isScarce && random.nextInt(3) == 0) {
        throw new OutOfMemoryError("scripted");
      }
      return backlog;
    }

    @Override
    public MemoryBacklog.Held append(
        Message message, @Nullable Duration timeToLive, long ageNanos) {
      return backlog().append(message, timeToLive, ageNanos);
    }

    @Override
    public MemoryBacklog.@Nullable Held takeFirst() {
      return backlog().takeFirst();
    }

    @Override
    public MemoryBacklog.@Nullable Held takeFirst(Priority priority) {
      return backlog().takeFirst(priority);
    }

    @Override
    public MemoryBacklog.@Nullable Held take(long sequence) {
      return backlog().take(sequence);
    }

    @Override
    public List<MemoryBacklog.Held> takeExpired(long ageNanos, int most) {
      return backlog().takeExpired(ageNanos, most);
    }

    @Override
    public long nextExpiryAgeNanos() {
      return backlog().nextExpiryAgeNanos();
    }

    @Override
    public Message read(MemoryBacklog.Held taken) {
      return backlog().read(taken);
    }

    @Override
    public boolean putBack(MemoryBacklog.Held taken) {
      return backlog().putBack(taken);
    }

    @Override
    public List<Long> drainLost() {
      return backlog().drainLost();
    }

    @Override
    public void discard(MemoryBacklog.Held taken) {
      backlog().discard(taken);
    }

    @Override
    public void sync() {
      backlog().sync();
    }

    @Override
    public List<MemoryBacklog.Held> rollBack() {
      return backlog().rollBack();
    }

    @Override
    public boolean isDurable() {
      return false;
    }

    @Override
    public void close() {
      backlog.close();
    }
  }

  private static final class Run {
    private final SeededRandom random;
    private final ScarceBacklog backlog;
    private final BoundedQueue<MemoryBacklog.Held> queue;
    private final Set<Long> present = new TreeSet<>();
    private final List<Long> inFlight = new ArrayList<>();

    Run(SeededRandom random) {
      this.random = random;
      this.backlog = new ScarceBacklog(random.fork());
      this.queue =
          new BoundedQueue<>(QueueSettings.defaults(), backlog, new Tally(), SleepClock.system());
    }

    void run() throws IOException {
      for (int step = 0; step < STEPS; step++) {
        backlog.isScarce = random.nextBoolean();
        try {
          step();
        } catch (OutOfMemoryError e) {
          // The caller finds what it had where it was.
          assertThat(e).hasMessage("scripted");
        }
      }
      backlog.isScarce = false;
      while (!inFlight.isEmpty()) {
        queue.putBack(inFlight.remove(0));
      }
      assertThat(queue.waiting()).isEqualTo(present.size());
      assertThat(queue.messages()).isEqualTo(present.size());
      List<Long> polled = new ArrayList<>();
      QueuedMessage next;
      while ((next = queue.poll()) != null) {
        polled.add(next.sequence());
      }
      assertThat(polled).containsExactlyElementsOf(present);
      assertThat(queue.waiting()).isZero();
    }

    private void step() throws IOException {
      int chosen = inFlight.isEmpty() ? 0 : random.nextInt(inFlight.size());
      switch (random.nextInt(6)) {
        case 0, 1 ->
            present.add(
                ((Admission.Accepted) queue.offer(Message.builder().build(), 0)).sequence());
        case 2, 3 -> {
          QueuedMessage polled = queue.poll();
          if (polled != null) {
            inFlight.add(polled.sequence());
          }
        }
        case 4 -> {
          if (!inFlight.isEmpty()) {
            queue.putBack(inFlight.get(chosen));
            inFlight.remove(chosen);
          }
        }
        default -> {
          if (!inFlight.isEmpty()) {
            queue.remove(inFlight.get(chosen));
            present.remove(inFlight.remove(chosen));
          }
        }
      }
    }
  }

  @Test
  void noMessageIsLeftBehind() {
    for (int run = 0; run < RUNS; run++) {
      SeededRandom.check(
          random -> {
            try {
              new Run(random).run();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
