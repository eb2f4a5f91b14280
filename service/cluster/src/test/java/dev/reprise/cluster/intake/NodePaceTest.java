package dev.reprise.cluster.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodePaceTest {
  private static final int PROCESSORS = 2;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long WRITE = TimeUnit.MILLISECONDS.toNanos(4);
  private static final NodeLoad IDLE = new NodeLoad(() -> 0, 0);
  private static final int A_SECOND = PROCESSORS * NodePace.TURNS_A_SECOND_AND_PROCESSOR;

  /** Lets shards write as often as they may for ten seconds; returns the turns of each. */
  private static int[] turns(int shards, long beganNanos) {
    return turns(shards, beganNanos, IDLE);
  }

  private static int[] turns(int shards, long beganNanos, NodeLoad load) {
    NodePace pace = new NodePace(PROCESSORS, load, beganNanos);
    long[] mayBegin = new long[shards];
    Arrays.fill(mayBegin, beganNanos);
    int[] turns = new int[shards];
    while (true) {
      int next = 0;
      for (int i = 1; i < shards; i++) {
        next = mayBegin[i] - mayBegin[next] < 0 ? i : next;
      }
      if (mayBegin[next] - beganNanos >= 10 * SECOND) {
        return turns;
      }
      turns[next]++;
      long written = mayBegin[next] + WRITE;
      mayBegin[next] = Math.max(0, pace.next(written) - written) + written;
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 0", "4, 0", "8, -9223372036854775000", "12, 9223372036854775000"})
  void shardsShareTheTurnsOfANodeEvenly(int shards, long beganNanos) {
    int[] turns = turns(shards, beganNanos);

    assertThat(Arrays.stream(turns).sum()).isBetween(A_SECOND * 9, A_SECOND * 10 + shards);
    int most = Arrays.stream(turns).max().orElseThrow();
    assertThat(Arrays.stream(turns).min().orElseThrow()).isGreaterThanOrEqualTo(most - 2);
  }

  @Test
  void oneShardAloneWritesAlmostAsOftenAsItCan() {
    long write = WRITE + SECOND / A_SECOND;
    assertThat(turns(1, 0)[0]).isBetween((int) (10 * SECOND / write) - 1, A_SECOND * 10);
  }

  @ParameterizedTest
  @ValueSource(ints = {13, 64, 1024})
  void noShardWaitsForLongHoweverManyThereAre(int shards) {
    NodePace pace = new NodePace(PROCESSORS, IDLE, 0);

    for (int i = 0; i < shards; i++) {
      assertThat(pace.next(SECOND)).isBetween(SECOND, SECOND + NodePace.MAX_WAIT_NANOS);
    }
    assertThat(pace.next(2 * SECOND)).as("later").isEqualTo(2 * SECOND + SECOND / A_SECOND);
  }

  @Test
  void restIsNotSaved() {
    NodePace pace = new NodePace(PROCESSORS, IDLE, 0);

    assertThat(pace.next(60 * SECOND)).isEqualTo(60 * SECOND + SECOND / A_SECOND);
    assertThat(pace.next(60 * SECOND)).isEqualTo(60 * SECOND + 2 * (SECOND / A_SECOND));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void underPressureTurnsDoNotGrowWithTheShards(int shards) {
    int[] turns = turns(shards, 0, busy());

    int third = A_SECOND / NodePace.FEWER_UNDER_PRESSURE;
    assertThat(Arrays.stream(turns).sum()).isBetween(third * 7, third * 10 + shards);
    assertThat(Arrays.stream(turns).min().orElseThrow()).isGreaterThanOrEqualTo(turns[0] - 2);
  }

  @Test
  void noShardWaitsForLongUnderPressure() {
    NodePace pace = new NodePace(PROCESSORS, busy(), 0);

    for (int i = 0; i < 1024; i++) {
      assertThat(pace.next(SECOND))
          .isBetween(SECOND, SECOND + NodePace.MAX_WAIT_UNDER_PRESSURE_NANOS);
    }
  }

  /** Has looked often enough to know. */
  private static NodeLoad busy() {
    NodeLoad load = new NodeLoad(() -> 1, -100 * NodeLoad.LOOK_NANOS);
    for (int look = 99; look >= 0; look--) {
      load.pressure(-look * NodeLoad.LOOK_NANOS);
    }
    return load;
  }
}
