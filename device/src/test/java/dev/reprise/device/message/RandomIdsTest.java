package dev.reprise.device.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RandomIdsTest {
  private static final int IDS = 20_000;

  @Test
  void areUuidsOfTheRandomKind() {
    for (int i = 0; i < 1_000; i++) {
      String id = RandomIds.next();

      UUID uuid = UUID.fromString(id);

      assertThat(uuid).hasToString(id);
      assertThat(uuid.version()).isEqualTo(4);
      assertThat(uuid.variant()).isEqualTo(2);
    }
  }

  @Test
  void areDifferentWhateverTheNumberOfThreads() {
    Set<String> ids = ConcurrentHashMap.newKeySet();

    IntStream.range(0, IDS).parallel().forEach(i -> ids.add(RandomIds.next()));

    assertThat(ids).hasSize(IDS);
  }

  @Test
  void everyBitButThoseOfTheKindVaries() {
    long highOnes = 0;
    long lowOnes = 0;
    long highZeros = 0;
    long lowZeros = 0;
    // A bit that is the same 500 times by chance: once in 10^148 runs.
    for (int i = 0; i < 500; i++) {
      UUID id = UUID.fromString(RandomIds.next());
      highOnes |= id.getMostSignificantBits();
      lowOnes |= id.getLeastSignificantBits();
      highZeros |= ~id.getMostSignificantBits();
      lowZeros |= ~id.getLeastSignificantBits();
    }

    assertThat(highOnes & highZeros).isEqualTo(~0xf000L);
    assertThat(lowOnes & lowZeros).isEqualTo(~(3L << 62));
  }
}
