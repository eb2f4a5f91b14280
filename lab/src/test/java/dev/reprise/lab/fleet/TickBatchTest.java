package dev.reprise.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.lab.kernel.EventWheel;
import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class TickBatchTest {
  private static final int PART_SHIFT = 52;

  @Property(tries = 200)
  void eventsOfATickRiseWhateverTheirPartsAndTheOthersStay(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 6_000) int size,
      @ForAll @IntRange(min = 1, max = 2_048) int parts) {
    SplittableRandom random = new SplittableRandom(seed);
    EventWheel wheel = new EventWheel();
    long[] expected = new long[size];
    for (int i = 0; i < size; i++) {
      long part = random.nextInt(parts);
      expected[i] = part << PART_SHIFT | random.nextLong(1L << PART_SHIFT);
      wheel.add(7, expected[i]);
    }
    wheel.add(8, 42);
    Arrays.sort(expected);

    TickBatch batch = new TickBatch(PART_SHIFT);
    batch.pollFrom(wheel);
    assertThat(wheel.tick()).isEqualTo(7);
    long[] taken = new long[batch.size()];
    Arrays.setAll(taken, batch::event);
    assertThat(taken).isEqualTo(expected);

    batch.pollFrom(wheel);
    assertThat(wheel.tick()).isEqualTo(8);
    assertThat(batch.size()).isEqualTo(1);
    assertThat(batch.event(0)).isEqualTo(42);
  }
}
