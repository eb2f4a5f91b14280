package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ConcurrencyTest {
  @Test
  void beginsWithSixteenPlacesOrFewer() {
    assertThat(new Concurrency(64).limit()).isEqualTo(16);
    assertThat(new Concurrency(3).limit()).isEqualTo(3);
  }

  @Test
  void eachSuccessAddsOnePlaceUpToTheMost() {
    Concurrency concurrency = new Concurrency(18);
    for (int expected : new int[] {17, 18, 18}) {
      concurrency.succeeded();
      assertThat(concurrency.limit()).isEqualTo(expected);
    }
  }

  @Test
  void failuresThatWereUnderWayTogetherHalveThePlacesOnce() {
    Concurrency concurrency = new Concurrency(64);
    for (int start = 1; start <= 16; start++) {
      concurrency.failed(start, 16);
    }
    assertThat(concurrency.limit()).isEqualTo(8);
    // Started after the cut, so it tells something new.
    concurrency.failed(17, 20);
    assertThat(concurrency.limit()).isEqualTo(4);
  }

  @Test
  void aSmallerMostCutsAtOnceAndALargerOneIsGrownInto() {
    Concurrency concurrency = new Concurrency(64);
    concurrency.max(4);
    assertThat(concurrency.limit()).isEqualTo(4);
    concurrency.max(64);
    assertThat(concurrency.limit()).isEqualTo(4);
    concurrency.succeeded();
    assertThat(concurrency.limit()).isEqualTo(5);
  }

  @Property
  void theLimitStaysBetweenOneAndTheMost(
      @ForAll @IntRange(min = 1, max = 100) int max, @ForAll boolean[] outcomes) {
    Concurrency concurrency = new Concurrency(max);
    long start = 0;
    for (boolean success : outcomes) {
      start++;
      if (success) {
        concurrency.succeeded();
      } else {
        concurrency.failed(start, start);
      }
      assertThat(concurrency.limit()).isBetween(1, max);
    }
  }
}
