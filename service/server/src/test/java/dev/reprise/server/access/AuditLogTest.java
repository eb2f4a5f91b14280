package dev.reprise.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

@Tag("slow")
class AuditLogTest {
  private static final long DAY = TimeUnit.DAYS.toMillis(1);

  @TempDir Path folder;
  private RocksStore rocks;
  private Store store;

  @BeforeEach
  void open() {
    rocks = RocksStore.open(folder, RocksSettings.defaults());
    store = rocks.view(7);
  }

  @AfterEach
  void close() {
    rocks.close();
  }

  private AuditLog log(int maxRecords) {
    return new AuditLog(store, Duration.ofDays(90), maxRecords);
  }

  private static AuditRecord record(long atMillis, String target) {
    return new AuditRecord(
        atMillis, "k", "ci", "shop", "putTopic", target, List.of("a.b"), 200, "192.0.2.1");
  }

  private static List<String> targets(AuditLog log, Long before, int most) {
    List<String> targets = new ArrayList<>();
    log.walk(
        before,
        (number, record) -> {
          targets.add(record.target());
          return targets.size() < most;
        });
    return targets;
  }

  @Test
  void recordsAreReadAsTheyWereWrittenNewestFirst() {
    AuditLog log = log(150);
    assertThat(targets(log, null, 10)).isEmpty();
    log.add(record(1, "a"));
    log.add(record(2, "b"));
    log = log(150);
    log.add(record(3, "c"));
    assertThat(targets(log, null, 10)).containsExactly("c", "b", "a");
    assertThat(targets(log, null, 2)).containsExactly("c", "b");
    assertThat(targets(log, 2L, 10)).containsExactly("a");
    List<AuditRecord> first = new ArrayList<>();
    log.walk(
        null,
        (number, record) -> {
          first.add(record);
          return false;
        });
    assertThat(first).containsExactly(record(3, "c"));
  }

  @Test
  void theOldestGoFirstByNumberAndByAge() {
    AuditLog log = log(150);
    for (int i = 0; i < 200; i++) {
      log.add(record(DAY, "r" + i));
    }
    assertThat(targets(log, null, 300)).hasSize(150).startsWith("r199").endsWith("r50");
    log = log(150);
    // A change deletes a bounded number, so that none waits for all of them.
    int changes = 0;
    while (targets(log, null, 300).contains("r199")) {
      log.add(record(92 * DAY, "new"));
      changes++;
    }
    assertThat(changes).isBetween(2, 3);
    assertThat(targets(log, null, 300)).hasSize(changes);
    assertThat(targets(log(150), null, 300)).hasSize(changes);
  }

  @Test
  void fieldsAreNamesAndNeverValues() {
    assertThat(
            AuditRecord.fieldsOf(
                JsonMapper.shared()
                    .readTree(
                        "{\"endpoint\":\"secret\",\"http\":{\"token\":\"secret\",\"headers\":"
                            + "{\"secret\":1}},\"filter\":{},\"scopes\":[\"secret\"]}")))
        .containsExactly("endpoint", "http.token", "http.headers", "filter", "scopes");
  }
}
