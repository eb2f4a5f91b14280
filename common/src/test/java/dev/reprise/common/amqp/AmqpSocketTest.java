package dev.reprise.common.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class AmqpSocketTest {
  /** Refused before a name server is asked. */
  private static final String UNKNOWN = "[no-address";

  private static final int LIMIT_MINUTES = 5;

  private final Queue<Runnable> lookups = new ArrayDeque<>();
  private final List<Throwable> failures = new ArrayList<>();

  @Test
  void unknownNameIsReportedOnTheLoop() {
    EmbeddedChannel channel = new EmbeddedChannel();
    socket(channel.eventLoop()).connect();
    lookups.remove().run();
    assertThat(failures).isEmpty();
    channel.runPendingTasks();
    assertThat(failures).hasSize(1);
    assertThat(failures.get(0)).isInstanceOf(UnknownHostException.class);
  }

  @Test
  void nameOfAClosedSocketIsNotLookedUp() {
    EmbeddedChannel channel = new EmbeddedChannel();
    AmqpSocket socket = socket(channel.eventLoop());
    socket.connect();
    socket.close();
    lookups.remove().run();
    channel.runPendingTasks();
    assertThat(failures).isEmpty();
  }

  @Test
  void lookupThatOutlivesTheLoopEndsQuietly() throws Exception {
    EventLoop loop = new DefaultEventLoop();
    socket(loop).connect();
    assertThat(
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(LIMIT_MINUTES, TimeUnit.MINUTES))
        .isTrue();
    lookups.remove().run();
    assertThat(failures).isEmpty();
  }

  private AmqpSocket socket(EventLoop loop) {
    return new AmqpSocket(loop, lookups::add, UNKNOWN, 5672, null, new Recording());
  }

  private final class Recording implements AmqpSocket.Listener {
    @Override
    public void connected() {}

    @Override
    public void received(ByteBuf bytes) {}

    @Override
    public void failed(Throwable cause) {
      failures.add(cause);
    }
  }
}
