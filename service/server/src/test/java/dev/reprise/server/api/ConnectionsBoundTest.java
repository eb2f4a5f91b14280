package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.reprise.server.http.ClientConnection;
import dev.reprise.server.http.ClientConnections;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which connections are closed when, and how many there may be. */
class ConnectionsBoundTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long start = System.nanoTime();

  private static ClientConnections bounded(int most) {
    return new ClientConnections(most, Duration.ofMinutes(11), Duration.ofSeconds(30));
  }

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
    ClientConnections connections = bounded(6);
    EmbeddedChannel before = open(connections, 0);
    connections.shut();
    assertThat(connections.admit(new EmbeddedChannel(), start)).isFalse();
    assertThat(before.isOpen()).isTrue();
    assertThat(connections.open()).isEqualTo(1);
  }

  @Test
  void oldestStrangerWithoutARequestMakesRoom() {
    ClientConnections connections = bounded(6);
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
    ClientConnections connections = bounded(3);
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
    ClientConnections connections = bounded(2);
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
  void idleForMinutesMakesRoomForNewcomers() {
    ClientConnections connections = bounded(6);
    List<EmbeddedChannel> idle = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      EmbeddedChannel channel = open(connections, -600 + i);
      answered(connections, channel, -500 + i);
      connections.of(channel).keyed();
      idle.add(channel);
    }
    // The head of a request is on its way, so it is not the one that was idle for longest.
    connections.of(idle.get(0)).headBegan(start - SECOND);
    for (int i = 0; i < 20; i++) {
      EmbeddedChannel newcomer = open(connections, 0);
      answered(connections, newcomer, i);
      connections.of(newcomer).keyed();
      idle.add(newcomer);
      settle(idle.toArray(EmbeddedChannel[]::new));
      assertThat(connections.open()).isEqualTo(3);
      assertThat(idle.get(0).isOpen()).isEqualTo(i < 2);
    }
    assertThat(idle.subList(0, 20)).noneMatch(EmbeddedChannel::isOpen);
    assertThat(connections.refused()).isZero();
  }

  /** A request came, was answered, and the answer was read, in the same moment. */
  private void answered(ClientConnections connections, EmbeddedChannel channel, long second) {
    ClientConnection connection = connections.of(channel);
    connection.headEnded();
    connection.began();
    connection.answered(start + second * SECOND);
    connection.written(start + second * SECOND);
  }

  private void closeIdle(ClientConnections connections, long second) {
    connections.closeIdle(start + second * SECOND);
  }

  @Test
  void onlyConnectionsWithoutARequestAreIdle() {
    ClientConnections connections = bounded(100);
    EmbeddedChannel asked = open(connections, 0);
    connections.of(asked).headEnded();
    connections.of(asked).began();
    closeIdle(connections, 10_000);
    assertThat(asked.isOpen()).isTrue();

    connections.of(asked).answered(start + 10_000 * SECOND);
    connections.of(asked).written(start + 10_001 * SECOND);
    // Longer than any of the load balancers' usual times.
    closeIdle(connections, 10_001 + 659);
    assertThat(asked.isOpen()).isTrue();
    closeIdle(connections, 10_001 + 660);
    assertThat(asked.isOpen()).isFalse();
    assertThat(connections.open()).isZero();
  }

  @Test
  void answersThatNobodyReadHaveATimeOfTheirOwn() {
    ClientConnections connections = bounded(100);
    EmbeddedChannel asked = open(connections, 0);
    answered(connections, asked, 0);
    connections.of(asked).began();
    connections.of(asked).began();
    connections.of(asked).answered(start + 100 * SECOND);
    closeIdle(connections, 200);
    assertThat(asked.isOpen()).isTrue();
    connections.of(asked).answered(start + 200 * SECOND);
    connections.of(asked).written(start + 210 * SECOND);
    closeIdle(connections, 284);
    assertThat(asked.isOpen()).isTrue();
    closeIdle(connections, 285);
    assertThat(asked.isOpen()).isFalse();
  }

  @Test
  void aHeadHasATimeOfItsOwnHoweverItTrickles() {
    ClientConnections connections = bounded(100);
    EmbeddedChannel silent = open(connections, 0);
    EmbeddedChannel trickling = open(connections, 0);
    answered(connections, trickling, 0);
    closeIdle(connections, 29);
    assertThat(silent.isOpen()).isTrue();
    closeIdle(connections, 30);
    assertThat(silent.isOpen()).isFalse();

    for (int second = 600; second < 630; second++) {
      connections.of(trickling).headBegan(start + second * SECOND);
      closeIdle(connections, second);
      assertThat(trickling.isOpen()).isTrue();
    }
    closeIdle(connections, 630);
    assertThat(trickling.isOpen()).isFalse();
  }

  @Test
  void aHeadBehindARequestHasItsTimeAfterTheAnswer() {
    ClientConnections connections = bounded(100);
    EmbeddedChannel pipelining = open(connections, 0);
    ClientConnection connection = connections.of(pipelining);
    connection.headEnded();
    connection.began();
    connection.headBegan(start + SECOND);
    closeIdle(connections, 100);
    connection.answered(start + 100 * SECOND);
    connection.written(start + 100 * SECOND);
    closeIdle(connections, 129);
    assertThat(pipelining.isOpen()).isTrue();
    closeIdle(connections, 130);
    assertThat(pipelining.isOpen()).isFalse();
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
