package dev.reprise.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ClosedConnectionsTest {
  private static final String SETTING = "max.connections.per.ip";

  @Test
  void aBrokerThatClosesWhatItAcceptsIsNamedWithTheSetting() throws Exception {
    ServerSocket broker = listening();
    Thread closing = new Thread(() -> closeAll(broker), "closing");
    try (broker) {
      closing.start();
      ClusterSettings settings = settings(broker);

      assertThatThrownBy(() -> BrokerCheck.await(settings, Duration.ZERO))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("no broker at " + settings.brokers() + " answers")
          .hasMessageContaining(settings.brokers() + " closes a new connection at once")
          .hasMessageContaining(SETTING);
    }
    closing.join();
  }

  @Test
  void aBrokerThatKeepsTheConnectionIsNot() throws IOException {
    try (ServerSocket broker = listening()) {
      assertThat(ClosedConnections.hint(settings(broker), Duration.ofMillis(10))).isEmpty();
    }
  }

  @Test
  void aBrokerThatIsNotThereIsNot() throws IOException {
    ServerSocket broker = listening();
    broker.close();

    assertThat(ClosedConnections.hint(settings(broker))).isEmpty();
  }

  private static ServerSocket listening() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static ClusterSettings settings(ServerSocket broker) {
    return ClusterSettings.of("127.0.0.1:" + broker.getLocalPort(), "node", "http://127.0.0.1:1");
  }

  private static void closeAll(ServerSocket broker) {
    try {
      while (true) {
        broker.accept().close();
      }
    } catch (IOException e) {
      // The socket was closed: the test is over.
    }
  }
}
