package dev.reprise.cluster.intake;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterCatalog;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives messages to the brokers, which accept them for their shard whether it has an owner or not.
 * Safe for use by many threads; does not block for long.
 *
 * <p>Its client of Kafka keeps to the brokers that it knows, because one that asks for new ones
 * forgets the topic meanwhile. Where all of them were replaced, it would wait for ever: if it gets
 * no answer for a while, and another client does from the brokers to begin with, that one takes its
 * place. What the former has not sent by then is refused when its time is up, as before.
 */
public final class IntakeProducer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IntakeProducer.class);

  /** As much as an engine has waiting at the most, and what Kafka needs besides. */
  private static final long BUFFER_BYTES = 96L << 20;

  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A few probes without an answer; a refusal by Kafka's client takes longer. */
  private static final long MAX_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** Two probes without an answer: longer than new leaders take, and less than a publish waits. */
  private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Another client has so long to get an answer. */
  private static final Duration ANSWER_WAIT = Duration.ofSeconds(15);

  /** Longer than a send is tried for. */
  private static final Duration RETIRED = Duration.ofSeconds(35);

  private static final Duration LOOK = Duration.ofMillis(50);

  private final String topic;
  private final Supplier<? extends Producer<byte[], byte[]>> producers;
  private final BrokerClock clock;
  private final ClusterCatalog catalog;
  private final GatheredSends gathered;
  private final ExecutorService renewals =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "reprise-intake-renewal");
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicBoolean renewing = new AtomicBoolean();
  private final List<Producer<byte[], byte[]>> retired = new CopyOnWriteArrayList<>();
  private volatile Producer<byte[], byte[]> producer;
  private volatile boolean closed;
  private volatile @Nullable StoreException fault;
  private volatile long answeredNanos = System.nanoTime();
  private long probedNanos = System.nanoTime() - PROBE_NANOS;

  public IntakeProducer(
      KafkaClients clients,
      String topic,
      BrokerClock clock,
      ClusterCatalog catalog,
      NodeLoad load) {
    this(() -> clients.producer("intake", BUFFER_BYTES), topic, clock, catalog, load);
  }

  /** Sends by the clients that {@code producers} makes, one after the other. */
  public IntakeProducer(
      Supplier<? extends Producer<byte[], byte[]>> producers,
      String topic,
      BrokerClock clock,
      ClusterCatalog catalog,
      NodeLoad load) {
    this.topic = topic;
    this.producers = producers;
    this.producer = producers.get();
    this.clock = clock;
    this.catalog = catalog;
    this.gathered = new GatheredSends(load);
  }

  /**
   * Gets to know the topic, which a send has no time for. Blocks until that has come about; what
   * was known then is remembered while brokers are away.
   *
   * @param maxWait for how long
   * @throws KafkaException if the brokers are out of reach
   */
  public void prepare(Duration maxWait) {
    long end = System.nanoTime() + maxWait.toNanos();
    while (true) {
      try {
        producer.partitionsFor(topic);
        return;
      } catch (TimeoutException e) {
        // So much is what a send waits at the most.
        if (System.nanoTime() - end > 0) {
          throw e;
        }
      }
    }
  }

  /** Gives a message to the brokers; it is answered when they have it. */
  public void send(int shard, ShardInput.Publish publish) {
    IntakeRecord intake =
        new IntakeRecord(
            catalog.version(),
            publish.message(),
            publish.keyed(),
            publish.subscriptions(),
            publish.payload());
    ProducerRecord<byte[], byte[]> message =
        new ProducerRecord<>(topic, shard, null, null, intake.encode(), IntakeRecord.HEADERS);
    gather(
        message,
        new Answer() {
          @Override
          public void appended(RecordMetadata where) {
            answered();
            publish
                .reply()
                .complete(new ShardInput.Accepted(publish.subscriptions().length, false));
          }

          @Override
          public void refused(StoreException why) {
            publish.reply().fail(why);
          }
        });
  }

  /**
   * Gives an event to the brokers.
   *
   * @param answer receives whether they have it; called once
   */
  public void tell(ProducerRecord<byte[], byte[]> event, Consumer<Boolean> answer) {
    gather(
        event,
        new Answer() {
          @Override
          public void appended(RecordMetadata where) {
            answer.accept(true);
          }

          @Override
          public void refused(StoreException why) {
            answer.accept(false);
          }
        });
  }

  /** Receives once whether the brokers have a record. */
  private interface Answer {
    void appended(RecordMetadata where);

    void refused(StoreException why);

    /** Whether a refusal says that the brokers take nothing. */
    default boolean countsIfRefused() {
      return true;
    }
  }

  private void gather(ProducerRecord<byte[], byte[]> message, Answer answer) {
    gathered.send(
        () -> {
          try {
            hand(message, answer);
          } catch (IllegalStateException e) {
            // It was closed meanwhile.
            answer.refused(refusal(e));
          }
        });
  }

  private void hand(ProducerRecord<byte[], byte[]> message, Answer answer) {
    while (true) {
      Producer<byte[], byte[]> by = producer;
      try {
        var unused =
            by.send(
                message,
                (appended, error) -> {
                  if (error == null) {
                    answer.appended(appended);
                  } else {
                    answer.refused(refused(error, by, answer));
                  }
                });
        return;
      } catch (KafkaException e) {
        answer.refused(refused(e, by, answer));
        return;
      } catch (IllegalStateException e) {
        // It is closed. Was another one put into its place just now?
        if (by == producer) {
          throw e;
        }
      }
    }
  }

  private StoreException refused(Exception error, Producer<byte[], byte[]> by, Answer answer) {
    StoreException refusal = refusal(error);
    // One that is too large is about one message, and others are taken.
    if (!(error instanceof RecordTooLargeException) && by == producer && answer.countsIfRefused()) {
      fault = refusal;
    }
    return refusal;
  }

  private static StoreException refusal(Exception error) {
    return new StoreException(
        "the brokers did not take a message: " + error.getMessage(), false, error);
  }

  // --- probes ------------------------------------------------------------------------------

  /**
   * Compares the clocks, now and then; looks for the brokers anew if they do not answer. A probe is
   * a record, which the shard passes over: where a shard stands, it would be counted with what
   * waits for it.
   *
   * @param takesWhatComes whether a shard, by its number, is known to take records as they come
   */
  public void probe(IntPredicate takesWhatComes) {
    long now = System.nanoTime();
    if (now - probedNanos < PROBE_NANOS) {
      return;
    }
    probedNanos = now;
    Producer<byte[], byte[]> by = producer;
    try {
      Map<Integer, PartitionInfo> led = led(by, takesWhatComes);
      clock.leadBy(led.keySet());
      led.values().forEach(each -> probe(by, each));
      if (led.isEmpty()) {
        // That has the client ask for the leaders.
        hand(probeOf(0), new Heard(by, 0, Node.noNode()));
      }
    } catch (KafkaException e) {
      fault = refusal(e);
    } catch (IllegalStateException e) {
      // It is closed. The next probe is of the one that was put into its place just now.
      if (by == producer) {
        throw e;
      }
    }
    if (now - answeredNanos > RENEWAL_NANOS && renewing.compareAndSet(false, true)) {
      renewals.execute(this::renew);
    }
  }

  /**
   * Returns a partition of each broker that leads any, by the numbers of the brokers: the first of
   * a shard that takes what comes, or else the first.
   */
  private Map<Integer, PartitionInfo> led(
      Producer<byte[], byte[]> by, IntPredicate takesWhatComes) {
    List<PartitionInfo> all = new ArrayList<>(by.partitionsFor(topic));
    all.removeIf(each -> each.leader() == null || each.leader().isEmpty());
    all.sort(Comparator.comparingInt(PartitionInfo::partition));
    Map<Integer, PartitionInfo> led = new HashMap<>();
    for (PartitionInfo each : all) {
      if (!led.containsKey(each.leader().id()) && takesWhatComes.test(each.partition())) {
        led.put(each.leader().id(), each);
      }
    }
    all.forEach(each -> led.putIfAbsent(each.leader().id(), each));
    return led;
  }

  private ProducerRecord<byte[], byte[]> probeOf(int partition) {
    return new ProducerRecord<>(
        topic, partition, null, null, IntakeRecord.probe(), IntakeRecord.HEADERS);
  }

  private void probe(Producer<byte[], byte[]> by, PartitionInfo partition) {
    hand(probeOf(partition.partition()), new Heard(by, partition.partition(), partition.leader()));
  }

  /** A probe's answer. */
  private final class Heard implements Answer {
    private final Producer<byte[], byte[]> by;
    private final int partition;
    private final Node leader;
    private final BrokerClock.Moment sent = clock.now();
    private final long sentNanos = System.nanoTime();

    Heard(Producer<byte[], byte[]> by, int partition, Node leader) {
      this.by = by;
      this.partition = partition;
      this.leader = leader;
    }

    @Override
    public void appended(RecordMetadata where) {
      answered();
      // If it was led by another one meanwhile, it is not known whose time that is.
      if (!leader.isEmpty() && leader.equals(led(by, partition))) {
        clock.appended(leader, sent, where.timestamp());
      }
    }

    @Override
    public void refused(StoreException why) {
      LOG.debug("a probe was not taken", why);
    }

    @Override
    public boolean countsIfRefused() {
      // Others may have taken something meanwhile: it is one broker that does not answer.
      return answeredNanos - sentNanos < 0;
    }
  }

  private @Nullable Node led(Producer<byte[], byte[]> by, int partition) {
    try {
      for (PartitionInfo each : by.partitionsFor(topic)) {
        if (each.partition() == partition) {
          return each.leader();
        }
      }
    } catch (KafkaException | IllegalStateException e) {
      LOG.debug("the leader of {}-{} is not known", topic, partition, e);
    }
    return null;
  }

  // --- another client ----------------------------------------------------------------------

  private void renew() {
    long silentSinceNanos = answeredNanos;
    Producer<byte[], byte[]> fresh = null;
    try {
      fresh = producers.get();
      if (isAnswered(fresh) && answeredNanos == silentSinceNanos) {
        Producer<byte[], byte[]> former = replace(fresh);
        if (former != null) {
          fresh = null;
          LOG.warn(
              "publishing goes on by a new client: the brokers that the former knew do not answer,"
                  + " and others answer at the addresses that were given");
          // What it has not sent is refused when its time is up.
          former.close(RETIRED);
          retired.remove(former);
        }
      }
    } catch (KafkaException e) {
      LOG.debug("another client does not reach the brokers either", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (fresh != null) {
        fresh.close(Duration.ZERO);
      }
      renewing.set(false);
    }
  }

  /** Puts another client into the place of the one at work, unless this is closed. */
  private synchronized @Nullable Producer<byte[], byte[]> replace(Producer<byte[], byte[]> fresh) {
    if (closed) {
      return null;
    }
    Producer<byte[], byte[]> former = producer;
    retired.add(former);
    producer = fresh;
    answered();
    return former;
  }

  /** Whether brokers take something of a client, which knows the topic then. */
  private boolean isAnswered(Producer<byte[], byte[]> fresh) throws InterruptedException {
    Pauses pauses = Pauses.every(LOOK).within(ANSWER_WAIT);
    Future<RecordMetadata> probe = null;
    do {
      if (probe == null) {
        probe = tryOut(fresh);
      } else if (probe.isDone()) {
        try {
          probe.get();
          return true;
        } catch (ExecutionException e) {
          probe = null;
        }
      }
    } while (!closed && pauses.next());
    return false;
  }

  private @Nullable Future<RecordMetadata> tryOut(Producer<byte[], byte[]> fresh) {
    try {
      Map<Integer, PartitionInfo> led = led(fresh, shard -> false);
      return led.isEmpty() ? null : fresh.send(probeOf(led.values().iterator().next().partition()));
    } catch (TimeoutException e) {
      return null;
    }
  }

  private void answered() {
    fault = null;
    answeredNanos = System.nanoTime();
  }

  /** Returns why the brokers took nothing the last time; null if they did. */
  public @Nullable StoreException fault() {
    StoreException known = fault;
    long silentNanos = System.nanoTime() - answeredNanos;
    return known != null || silentNanos < MAX_SILENCE_NANOS
        ? known
        : new StoreException(
            "the brokers have not answered for "
                + TimeUnit.NANOSECONDS.toSeconds(silentNanos)
                + " s",
            false,
            null);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    renewals.shutdown();
    gathered.close();
    producer.close(Duration.ofSeconds(5));
    retired.forEach(each -> each.close(Duration.ZERO));
  }
}
