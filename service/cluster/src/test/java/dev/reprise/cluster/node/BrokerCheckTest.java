package dev.reprise.cluster.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BrokerCheckTest {
  @Test
  void aBrokerThatDoesNotAnswerIsNamed() {
    assertThatThrownBy(() -> BrokerCheck.await(settings("127.0.0.1:1"), Duration.ofMillis(1)))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("no broker at 127.0.0.1:1 answers");
  }

  @Test
  void aHostThatDoesNotExistIsNamed() {
    assertThatThrownBy(() -> BrokerCheck.await(settings("none.invalid:9092"), Duration.ofMillis(1)))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("no broker at none.invalid:9092 answers");
  }

  private static ClusterSettings settings(String brokers) {
    return ClusterSettings.of(brokers, "node", "http://127.0.0.1:1");
  }
}
