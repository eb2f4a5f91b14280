package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConcurrencyTest {
  private static final long FAST = 5_000_000;
  private static final long STRAINED = 50_000_000;

  private static Concurrency grown(int max, int successes) {
    Concurrency concurrency = new Concurrency(max);
    for (int i = 0; i < successes; i++) {
      concurrency.succeeded(FAST, true);
    }
    return concurrency;
  }

  @Test
  void beginsSmallAndDoublesWhileTheEndpointKeepsItsPace() {
    assertThat(new Concurrency(64).limit()).isEqualTo(2);
    assertThat(grown(64, 2).limit()).isEqualTo(4);
    assertThat(grown(64, 6).limit()).isEqualTo(8);
    assertThat(grown(64, 1000).limit()).isEqualTo(64);
  }

  @Test
  void neverExceedsTheMaximumAndFollowsItDown() {
    assertThat(new Concurrency(1).limit()).isEqualTo(1);
    Concurrency concurrency = grown(10, 100);
    assertThat(concurrency.limit()).isEqualTo(10);
    concurrency.max(3);
    assertThat(concurrency.limit()).isEqualTo(3);
    concurrency.succeeded(FAST, true);
    assertThat(concurrency.limit()).isEqualTo(3);
  }

  @Test
  void doesNotGrowWhereMorePlacesWouldStayEmpty() {
    Concurrency concurrency = new Concurrency(64);
    for (int i = 0; i < 100; i++) {
      concurrency.succeeded(FAST, false);
    }
    assertThat(concurrency.limit()).isEqualTo(2);
  }

  @Test
  void givesPlacesBackWhenAttemptsTakeMoreThanTwiceAsLong() {
    Concurrency concurrency = grown(64, 1000);
    for (int i = 0; i < 1500; i++) {
      concurrency.succeeded(STRAINED, true);
    }
    assertThat(concurrency.limit()).isLessThan(40);
  }

  @Test
  void anEndpointThatHasMovedFurtherAwayIsNotStrainedForEver() {
    Concurrency concurrency = grown(64, 1000);
    for (int i = 0; i < 10_000; i++) {
      concurrency.succeeded(STRAINED, true);
    }
    assertThat(concurrency.limit()).isEqualTo(64);
  }

  @Test
  void growsByOneARoundAfterTheFirstStrain() {
    Concurrency concurrency = grown(64, 8);
    concurrency.failed(1, 10);
    assertThat(concurrency.limit()).isEqualTo(5);
    for (int i = 0; i < 5; i++) {
      concurrency.succeeded(FAST, true);
    }
    assertThat(concurrency.limit()).isBetween(5, 6);
    for (int i = 0; i < 2; i++) {
      concurrency.succeeded(FAST, true);
    }
    assertThat(concurrency.limit()).isEqualTo(6);
  }

  @Test
  void attemptsThatFailTogetherHalveThePlacesOnce() {
    Concurrency concurrency = grown(64, 1000);
    for (int start = 1; start <= 64; start++) {
      concurrency.failed(start, 64);
    }
    assertThat(concurrency.limit()).isEqualTo(32);
    concurrency.failed(65, 96);
    assertThat(concurrency.limit()).isEqualTo(16);
  }

  @Test
  void alwaysLeavesOnePlace() {
    Concurrency concurrency = new Concurrency(64);
    for (int start = 1; start <= 100; start++) {
      concurrency.failed(start, start);
    }
    assertThat(concurrency.limit()).isEqualTo(1);
  }

  @Test
  void differencesOfTwoMillisecondsAreNoise() {
    Concurrency concurrency = new Concurrency(64);
    concurrency.succeeded(100_000, true);
    for (int i = 0; i < 200; i++) {
      concurrency.succeeded(2_000_000, true);
    }
    assertThat(concurrency.limit()).isEqualTo(64);
  }
}
