package dev.reprise.server.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.base.BrokerClocks;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.server.document.NodeDocument;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads the sentence that an operator gets about a node. */
class NodeProblemsTest {
  private static final BrokerClocks RIGHT = new BrokerClocks(120, List.of());
  private static final ShardMap.Node ONE = new ShardMap.Node("one", "http://10.0.0.1:8080");
  private static final ShardMap.Node TWIN = new ShardMap.Node("one", "http://10.0.0.9:8080");
  private static final ShardMap.Node TWO = new ShardMap.Node("two", "http://10.0.0.2:8080");

  @Test
  void aBrokerWithAWrongClockIsAProblemBesideAFault() {
    BrokerClocks wrong = new BrokerClocks(15_000, List.of("the clock of broker 2 differs"));

    assertThat(NodeProblems.of(null, null, RIGHT, List.of())).isNull();
    assertThat(NodeProblems.of(null, null, wrong, List.of()))
        .isEqualTo("the clock of broker 2 differs");
    assertThat(NodeProblems.of("the disk is full", null, wrong, List.of("retention.ms is 1")))
        .isEqualTo("the disk is full; retention.ms is 1; the clock of broker 2 differs");
  }

  @Test
  void aClockThatDiffersFromItsSystemsIsAProblem() {
    NodeDocument.Clock clock = new NodeDocument.Clock(5_000, 9_000, "the service's clock is ahead");

    assertThat(NodeProblems.of(null, clock, RIGHT, List.of()))
        .isEqualTo("the service's clock is ahead");
  }

  @Test
  void twoProcessesOfOneNameAreNamedWithTheirUrls() {
    List<ShardMap.Node> all = List.of(TWIN, ONE, TWO);

    assertThat(NodeProblems.withTwins(null, ONE, all))
        .isEqualTo("two processes have the name one: http://10.0.0.1:8080, http://10.0.0.9:8080");
    assertThat(NodeProblems.withTwins("is not reached", TWIN, all))
        .startsWith("two processes have the name one: ")
        .endsWith("; is not reached");
    assertThat(NodeProblems.withTwins(null, TWO, all)).isNull();
    assertThat(NodeProblems.withTwins("is not reached", TWO, all)).isEqualTo("is not reached");
  }

  @Test
  void aTwinWithoutAUrlIsATwinAllTheSame() {
    assertThat(NodeProblems.withTwins(null, ONE, List.of(ONE, new ShardMap.Node("one", ""))))
        .isEqualTo("two processes have the name one: one without a URL, http://10.0.0.1:8080");
  }

  @Test
  void nodesOfOneNameAreTwoInTheirOrder() {
    assertThat(List.of(TWO, TWIN, ONE).stream().sorted(NodeProblems.ORDER))
        .containsExactly(ONE, TWIN, TWO);
  }
}
