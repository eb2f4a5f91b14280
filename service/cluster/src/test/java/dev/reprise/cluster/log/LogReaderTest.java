package dev.reprise.cluster.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads what a broker with a wrong clock has appended. */
class LogReaderTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final long DAY = Duration.ofDays(1).toMillis();

  @TempDir Path folder;
  private RocksStore store;
  private LogCopy copy;

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0).withoutSync());
    copy = new LogCopy(store.view(1));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static ConsumerRecord<byte[], byte[]> record(long offset, long millis) {
    byte[] text = ("r" + offset).getBytes(UTF_8);
    return new ConsumerRecord<>(
        "log",
        0,
        offset,
        millis,
        TimestampType.LOG_APPEND_TIME,
        text.length,
        text.length,
        text,
        text,
        new RecordHeaders(),
        Optional.empty());
  }

  @Test
  void aBrokerThatIsDaysAheadMakesNoCopyLookFresh() {
    LogReader.apply(copy, List.of(record(0, NOW), record(1, NOW + 3 * DAY)), NOW + 5_000);

    assertThat(copy.position()).isEqualTo(2);
    assertThat(copy.asOfMillis()).isEqualTo(NOW + 5_000);
    // A day and a half later deletions may be gone, although that broker's time has not come yet.
    assertThat(copy.prepare(10, NOW + DAY + DAY / 2, DAY, key -> false)).isTrue();
  }

  @Test
  void aBrokerThatIsBehindMakesNoCopyLookOlderThanItWas() {
    LogReader.apply(copy, List.of(record(0, NOW)), NOW + 5_000);
    LogReader.apply(copy, List.of(record(1, NOW - 3 * DAY)), NOW + 6_000);

    assertThat(copy.asOfMillis()).isEqualTo(NOW);
  }
}
