package dev.reprise.cluster.base;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the brokers how far the log of the catalog goes, without waiting. A caller gets the number
 * of a question that is asked from then on; many share one. Not safe for use by several threads.
 */
public final class CatalogEnd implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CatalogEnd.class);
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Supplier<Admin> admins;
  private final TopicPartition partition;
  private @Nullable Admin admin;
  private long asked;
  private long answered;
  private long end = -1;
  private long askedNanos;
  private @Nullable CompletableFuture<ListOffsetsResultInfo> underWay;

  /**
   * Nothing is asked yet.
   *
   * @param admins makes the client, once it is needed
   */
  public CatalogEnd(Supplier<Admin> admins, String topic) {
    this.admins = admins;
    this.partition = new TopicPartition(topic, 0);
  }

  /** Returns the number of the first question that is asked from now on, from 1. */
  public long question() {
    return asked + 1;
  }

  /**
   * Returns the answer to a question, or to a later one; -1 as long as there is none. Has to be
   * called again then.
   */
  public long answer(long question, long nowNanos) {
    settle();
    if (answered >= question) {
      return end;
    }
    if (underWay == null && (asked == answered || nowNanos - askedNanos > AGAIN_NANOS)) {
      ask(nowNanos);
    }
    return -1;
  }

  private void settle() {
    CompletableFuture<ListOffsetsResultInfo> now = underWay;
    if (now == null || !now.isDone()) {
      return;
    }
    underWay = null;
    if (now.isCompletedExceptionally()) {
      LOG.warn("the end of {} cannot be asked for; trying again", partition);
    } else {
      answered = asked;
      end = now.join().offset();
    }
  }

  private void ask(long nowNanos) {
    asked++;
    askedNanos = nowNanos;
    try {
      Admin client = admin;
      if (client == null) {
        client = admins.get();
        admin = client;
      }
      underWay =
          client
              .listOffsets(Map.of(partition, OffsetSpec.latest()))
              .partitionResult(partition)
              .toCompletionStage()
              .toCompletableFuture();
    } catch (KafkaException e) {
      LOG.warn("the end of {} cannot be asked for: {}", partition, e.getMessage());
    }
  }

  @Override
  public void close() {
    Admin client = admin;
    if (client != null) {
      client.close(Duration.ZERO);
    }
  }
}
