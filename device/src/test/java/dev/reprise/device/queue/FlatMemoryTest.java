package dev.reprise.device.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.message.Message;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A day without a connection, at ten messages per second. */
@Tag("slow")
class FlatMemoryTest {
  private static final int DAY = 24 * 60 * 60 * 10;
  private static final long MAX_GROWTH_BYTES = 4L << 20;

  @TempDir Path folder;

  @Test
  void aDayOfMessagesTakesHardlyMoreHeapThanAFewMinutesOfThem() throws IOException {
    QueueSettings settings =
        QueueSettings.defaults().withBounds(DAY, 1L << 30).withTimeToLive(Duration.ofDays(2));
    try (MessageQueue queue =
        MessageQueues.open(
            settings, new FaultyDisk(), folder, SegmentLimits.DEFAULT, InstantSource.system())) {
      fill(queue, 0, 10_000);
      long before = usedBytes();
      fill(queue, 10_000, DAY);
      long grown = usedBytes() - before;

      System.out.printf("heap of %,d messages on disk beside 10,000: %+,d bytes%n", DAY, grown);
      assertThat(queue.waiting()).isEqualTo(DAY);
      assertThat(grown).isLessThan(MAX_GROWTH_BYTES);
      drain(queue);
      assertThat(usedBytes() - before).isLessThan(MAX_GROWTH_BYTES);
    }
  }

  private static void fill(MessageQueue queue, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      Message message = Message.builder().id("m" + i).body(new byte[200]).build();
      assertThat(queue.offer(message, i)).isInstanceOf(Admission.Accepted.class);
      if (i % 32 == 0) {
        queue.sync();
      }
    }
    queue.sync();
  }

  private static void drain(MessageQueue queue) throws IOException {
    for (int i = 0; i < DAY; i++) {
      QueuedMessage next = queue.poll();
      assertThat(next.message().id()).isEqualTo("m" + i);
      queue.remove(next.sequence());
      if (i % 32 == 0) {
        queue.sync();
      }
    }
    assertThat(queue.messages()).isZero();
  }

  /** Returns the least of several: what other threads of the JVM have just used is not kept. */
  private static long usedBytes() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}
