package dev.reprise.cluster.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.base.ClusterCatalog;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order in which a shard is told of what was accepted, and of what is gone. */
class ShardIntakeTest {
  private static final int LARGE = 200_000;

  @TempDir Path folder;
  private RocksStore store;
  private final List<ShardInput> told = new ArrayList<>();
  private ShardIntake intake;

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
    ClusterCatalog catalog = new ClusterCatalog(new LogCopy(store.view(1)));
    intake =
        new ShardIntake(
            told::add,
            catalog,
            new OpenIntake(null, catalog, null, null, null, 4, new AtomicLong()));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static ConsumerRecord<byte[], byte[]> record(long offset, int bytes) {
    byte[] value =
        new IntakeRecord(0, new MessageId(offset, offset), false, new long[] {1}, new byte[bytes])
            .encode();
    return new ConsumerRecord<>(
        "in",
        3,
        offset,
        1,
        TimestampType.LOG_APPEND_TIME,
        0,
        value.length,
        null,
        value,
        new RecordHeaders(IntakeRecord.HEADERS),
        Optional.empty());
  }

  private List<String> told() {
    return told.stream()
        .map(
            each ->
                each instanceof ShardInput.Taken taken
                    ? taken.publishes().size() + " to " + taken.position()
                    : each instanceof ShardInput.Lost lost
                        ? "lost " + lost.first() + " to " + lost.last()
                        : each.toString())
        .toList();
  }

  private void lose(long first, long last) {
    intake.addGap(() -> told.add(new ShardInput.Lost(IntakeLog.IN, first, last)));
  }

  @Test
  void aLossIsNotedBehindWhatWasReadBeforeIt() {
    intake.add(List.of(record(5, 10), record(6, 10)));
    lose(7, 9);
    lose(10, 10);
    intake.add(List.of(record(11, 10)));
    assertThat(intake.isEmpty()).isFalse();

    intake.pump();

    assertThat(told()).containsExactly("2 to 6", "lost 7 to 9", "lost 10 to 10", "1 to 11");
    assertThat(intake.isEmpty()).isTrue();
  }

  @Test
  void aLossWaitsForWhatTheShardHasNoRoomFor() {
    for (int i = 0; i < 30; i++) {
      intake.add(List.of(record(i, LARGE)));
    }
    lose(30, 39);

    intake.pump();

    assertThat(told()).isNotEmpty().noneMatch(each -> each.startsWith("lost"));
    while (told.get(told.size() - 1) instanceof ShardInput.Taken taken) {
      // It is durable: there is room for more.
      List<ShardInput> before = List.copyOf(told);
      taken.publishes().forEach(each -> each.reply().complete(new ShardInput.Accepted(1, false)));
      intake.pump();
      assertThat(told).as("goes on").hasSizeGreaterThan(before.size());
    }
    assertThat(told()).endsWith("lost 30 to 39");
    assertThat(told().get(told.size() - 2)).endsWith(" to 29");
  }

  @Test
  void aLossWithNothingBeforeItIsNotedAtOnce() {
    lose(0, 4);
    intake.pump();
    assertThat(told()).containsExactly("lost 0 to 4");
  }
}
