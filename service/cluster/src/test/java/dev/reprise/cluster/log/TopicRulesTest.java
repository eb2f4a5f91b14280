package dev.reprise.cluster.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.base.ClusterTopic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TopicRulesTest {
  /** The rows of the table of settings, by setting: a cell for each topic. */
  private static Map<String, List<String>> documented() throws Exception {
    Map<String, List<String>> rows = new HashMap<>();
    for (String line : Files.readAllLines(Path.of("FORMATS.md"))) {
      String[] cells = line.replace("`", "").split("\\|", -1);
      if (cells.length == 7 && TopicRules.settings().contains(cells[1].strip())) {
        rows.put(
            cells[1].strip(), List.of(cells).subList(2, 6).stream().map(String::strip).toList());
      }
    }
    return rows;
  }

  @Test
  void theTableOfTheDocumentIsTheOneThatIsChecked() throws Exception {
    Map<String, List<String>> rows = documented();
    Set<String> checked = new HashSet<>();
    // The first column is of two topics.
    Map<ClusterTopic, Integer> columns =
        Map.of(
            ClusterTopic.IN, 0,
            ClusterTopic.OPEN, 0,
            ClusterTopic.SHARDS, 1,
            ClusterTopic.CATALOG, 2,
            ClusterTopic.EVENTS, 3);
    for (String setting : TopicRules.settings()) {
      for (ClusterTopic topic : ClusterTopic.values()) {
        String rule = TopicRules.rule(topic, setting);
        if (!rule.equals("any")) {
          checked.add(setting);
        }
        if (rows.containsKey(setting)) {
          assertThat(rows.get(setting).get(columns.get(topic)).replace(",", ""))
              .as(setting + " of " + topic)
              .isEqualTo(rule.replace(",", ""));
        }
      }
    }
    assertThat(rows.keySet()).isEqualTo(checked);
  }

  @Test
  void whatTopicsAreMadeWithBreaksNoRule() {
    for (ClusterTopic topic : ClusterTopic.values()) {
      for (int replicas : new int[] {1, 2, 3}) {
        Map<String, String> made = TopicRules.made(topic, replicas);
        // Where nothing is set the brokers' own default holds.
        assertThat(TopicRules.breaches(topic, "t", replicas, made::get))
            .allMatch(breach -> !made.containsKey(breach.setting()));
      }
    }
  }
}
