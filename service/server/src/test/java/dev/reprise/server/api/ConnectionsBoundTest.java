package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.reprise.server.http.ClientConnections;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which connections are closed when, and how many there may be. */
class ConnectionsBoundTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long start = System.nanoTime();

  private EmbeddedChannel open(ClientConnections connections, long second) {
    EmbeddedChannel channel = new EmbeddedChannel();
    assertThat(connections.admit(channel, start + second * SECOND)).isTrue();
    return channel;
  }

  /** What was asked of event loops is done. */
  private static void settle(EmbeddedChannel... channels) {
    for (EmbeddedChannel channel : channels) {
      channel.runPendingTasks();
    }
  }

  @Test
  void nothingIsAdmittedWhileItEnds() {
    ClientConnections connections = new ClientConnections(6);
    EmbeddedChannel before = open(connections, 0);
    connections.shut();
    assertThat(connections.admit(new EmbeddedChannel(), start)).isFalse();
    assertThat(before.isOpen()).isTrue();
    assertThat(connections.open()).isEqualTo(1);
  }

  @Test
  void oldestStrangerWithoutARequestMakesRoom() {
    ClientConnections connections = new ClientConnections(6);
    EmbeddedChannel keyed = open(connections, -100);
    connections.of(keyed).keyed();
    EmbeddedChannel asking = open(connections, -90);
    connections.of(asking).began();
    EmbeddedChannel idle = open(connections, -80);
    assertThat(connections.open()).isEqualTo(3);

    EmbeddedChannel first = open(connections, -70);
    settle(keyed, asking, idle, first);
    assertThat(idle.isOpen()).isFalse();
    assertThat(connections.open()).isEqualTo(3);

    EmbeddedChannel second = open(connections, -60);
    settle(keyed, asking, first, second);
    assertThat(first.isOpen()).isFalse();

    connections.of(second).keyed();
    EmbeddedChannel third = open(connections, -50);
    connections.of(third).keyed();
    settle(keyed, asking, second, third);
    assertThat(asking.isOpen()).isFalse();

    // Only now one that has a key, and that which was idle for longest.
    EmbeddedChannel fourth = open(connections, -40);
    settle(keyed, second, third, fourth);
    assertThat(keyed.isOpen()).isFalse();
    assertThat(second.isOpen()).isTrue();
    assertThat(connections.closedForRoom()).isEqualTo(4);
    assertThat(connections.refused()).isZero();
  }

  @Test
  void whatIsAnsweredForAKeyIsNeverClosed() {
    ClientConnections connections = new ClientConnections(3);
    List<EmbeddedChannel> channels = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      EmbeddedChannel channel = open(connections, -i);
      connections.of(channel).keyed();
      connections.of(channel).began();
      channels.add(channel);
    }
    assertThat(connections.admit(new EmbeddedChannel(), start)).isFalse();
    settle(channels.toArray(EmbeddedChannel[]::new));
    assertThat(channels).allMatch(EmbeddedChannel::isOpen);
    assertThat(connections.refused()).isEqualTo(1);
    assertThat(connections.open()).isEqualTo(3);
  }

  @Test
  void connectionThatGetsARequestMeanwhileStays() {
    ClientConnections connections = new ClientConnections(2);
    EmbeddedChannel old = open(connections, -10);
    EmbeddedChannel next = new EmbeddedChannel();
    connections.admit(next, start);
    connections.of(old).began();
    settle(old, next);
    assertThat(old.isOpen()).isTrue();
    assertThat(connections.open()).isEqualTo(2);

    // It was let off, so it counts again as one that may be closed.
    connections.of(old).answered(start - 5 * SECOND);
    assertThat(connections.admit(new EmbeddedChannel(), start)).isFalse();
    settle(old, next);
    assertThat(old.isOpen()).isFalse();
    assertThat(connections.open()).isEqualTo(1);
  }

  @Test
  void onlyConnectionsWithoutARequestAreIdle() {
    ClientConnections connections = new ClientConnections(100);
    EmbeddedChannel silent = open(connections, 0);
    EmbeddedChannel asked = open(connections, 0);
    connections.of(asked).began();
    connections.closeIdle(start + 74 * SECOND, 75);
    assertThat(silent.isOpen()).isTrue();
    connections.closeIdle(start + 75 * SECOND, 75);
    assertThat(silent.isOpen()).isFalse();
    connections.closeIdle(start + 1000 * SECOND, 75);
    assertThat(asked.isOpen()).isTrue();

    connections.of(asked).answered(start + 1000 * SECOND);
    connections.of(asked).written(start + 1001 * SECOND);
    connections.closeIdle(start + 1075 * SECOND, 75);
    assertThat(asked.isOpen()).isTrue();
    // It is answered, but does not read.
    connections.of(asked).began();
    connections.closeIdle(start + 1200 * SECOND, 75);
    assertThat(asked.isOpen()).isTrue();
    connections.of(asked).answered(start + 1200 * SECOND);
    connections.closeIdle(start + 1275 * SECOND, 75);
    assertThat(asked.isOpen()).isFalse();
    assertThat(connections.open()).isZero();
  }

  @Test
  void boundLeavesDescriptorsToTheStore() {
    assertThat(ClientConnections.most(0, 700)).isEqualTo(64);
    assertThat(ClientConnections.most(0, 1024)).isEqualTo(128);
    assertThat(ClientConnections.most(0, 4096)).isEqualTo(1024);
    assertThat(ClientConnections.most(0, 1 << 20)).isEqualTo(4096);
    assertThat(ClientConnections.most(20_000, 1 << 20)).isEqualTo(20_000);
    assertThat(ClientConnections.most(10, 700)).isEqualTo(10);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClientConnections.most(4000, 4096))
        .withMessage(
            "max-connections is 4000: must be at most 3328, which is what the limit of 4096 open"
                + " files (ulimit -n) leaves");
  }
}
