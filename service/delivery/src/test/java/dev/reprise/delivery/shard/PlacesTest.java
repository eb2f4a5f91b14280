package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlacesTest {
  private static final int MAX = 1024;
  private static final long MILLI = 1_000_000;

  private static int fill(Places places, Pace pace) {
    int started = 0;
    while (places.hasRoom(pace)) {
      places.started(pace, 10);
      started++;
    }
    return started;
  }

  @Test
  void promptOnesHaveAllPlacesAndOthersTheirPartBesides() {
    Places places = new Places(MAX, 1 << 20);
    assertThat(fill(places, Pace.HANGING)).isEqualTo(256);
    assertThat(fill(places, Pace.UNKNOWN)).isEqualTo(256);
    assertThat(places.hasRoom(Pace.SLOW)).isFalse();
    assertThat(fill(places, Pace.PROMPT)).isEqualTo(1024);
  }

  @Test
  void attemptsThatHangMakeRoomForPromptOnes() {
    Places places = new Places(MAX, 1 << 20);
    for (int i = 0; i < 2; i++) {
      assertThat(fill(places, Pace.PROMPT)).isEqualTo(MAX);
      places.moved(MAX, Pace.PROMPT, Pace.HANGING);
    }
    assertThat(places.hasRoom(Pace.PROMPT)).isFalse();
    places.ended(Pace.HANGING, 10);
    assertThat(places.hasRoom(Pace.PROMPT)).isTrue();
  }

  @Test
  void bytesAreBoundedButOneAttemptIsAlwaysAllowed() {
    Places places = new Places(MAX, 100);
    places.started(Pace.PROMPT, 5_000);
    assertThat(places.hasRoom(Pace.PROMPT)).isFalse();
    places.ended(Pace.PROMPT, 5_000);
    assertThat(places.hasRoom(Pace.PROMPT)).isTrue();
  }

  @Test
  void oneGroupMayHaveHalfOfWhatItsPaceHasAndEnoughInASmallShard() {
    assertThat(ofOneGroup(new Places(4096, 1 << 20), Pace.PROMPT)).isEqualTo(2048);
    assertThat(ofOneGroup(new Places(4096, 1 << 20), Pace.SLOW)).isEqualTo(1024);
    assertThat(ofOneGroup(new Places(4096, 1 << 20), Pace.HANGING)).isEqualTo(512);
    assertThat(ofOneGroup(new Places(300, 1 << 20), Pace.PROMPT)).isEqualTo(256);
  }

  private static int ofOneGroup(Places places, Pace pace) {
    PaceCounts group = new PaceCounts();
    while (places.mayGrow(group, pace)) {
      group.add(pace, 1);
    }
    return group.all();
  }

  @Test
  void aTinyShardServesEverybody() {
    Places places = new Places(1, 1);
    assertThat(fill(places, Pace.HANGING)).isEqualTo(1);
    assertThat(new Places(1, 1).hasRoom(Pace.UNKNOWN)).isTrue();
  }

  @Test
  void promptOnesHaveFewerPlacesWhileTheirAttemptsMostlyWaitHere() {
    Places places = new Places(MAX, 1 << 20);
    for (int i = 0; i < 2_000; i++) {
      places.observe(/* heldNanos= */ 9 * MILLI, /* attemptNanos= */ 4 * MILLI);
    }
    assertThat(fill(places, Pace.PROMPT)).isEqualTo(Places.ENOUGH);
    for (int i = 0; i < 100; i++) {
      places.observe(52 * MILLI, 50 * MILLI);
    }
    assertThat(fill(places, Pace.PROMPT)).isEqualTo(100);
  }
}
