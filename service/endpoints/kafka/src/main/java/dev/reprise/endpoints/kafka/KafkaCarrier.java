package dev.reprise.endpoints.kafka;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.carrier.CarrierWindow;
import dev.reprise.delivery.carrier.Consequence;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One producer, made when the first attempt needs it, and made anew after each fault: Kafka's
 * clients go on connecting and logging in by themselves for as long as they live.
 *
 * <p>Producers block where they do not know a topic. So a topic is looked up on a thread of its own
 * before the first record goes there, and attempts wait meanwhile; one thread, the worker, hands
 * records to the producer. It may still stand there for seconds (a full buffer, a topic that has
 * gone), so time-outs do not come from it. Thread-safe.
 */
final class KafkaCarrier implements Carrier {
  private static final Block CLOSED = CarrierWindow.CLOSED;
  private static final Duration WHILE_CONNECTING = Duration.ofSeconds(1);
  private static final Duration WHILE_BUSY = Duration.ofSeconds(1);
  private static final int LOOKUP_THREADS = 16;
  private static final long IDLE_SECONDS = 10;
  private static final long CLOSE_MILLIS = 2_000;
  private static final long THREAD_STOP_MILLIS = 500;

  /** A producer forgets topics that were not used for 5 minutes, and would block to learn them. */
  private static final long KNOWN_NANOS = Duration.ofMinutes(2).toNanos();

  private static final int MAX_TOPICS = 10_000;
  private static final int MAX_TAKEN_AT_ONCE = 256;

  private final CarrierContext context;
  private final Producers producers;
  private final ClusterCheck check;
  private final RecordWriter writer;
  private final CarrierFault fault = new CarrierFault(new SecureRandom());
  private final CarrierWindow<OutgoingRecord> window;
  private final Set<CompletableFuture<String>> tests = ConcurrentHashMap.newKeySet();
  private final Queue<OutgoingRecord> handedOver = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicBoolean checking = new AtomicBoolean();
  private final ThreadPoolExecutor worker;
  private final ThreadPoolExecutor lookups;

  /** Whether the cluster has answered about a topic since the last fault. */
  private volatile boolean connected;

  private volatile @Nullable Producer<byte[], byte[]> producer;

  /** The last one that was made: closed with the carrier, whether or not it came into use. */
  private volatile @Nullable Producer<byte[], byte[]> made;

  // Of the worker.
  private final Map<String, Topic> topics = new HashMap<>();
  private final Deque<OutgoingRecord> waiting = new ArrayDeque<>();
  private boolean opening;
  private boolean heldUp;

  /** A topic and the attempts that wait until it is known. Of the worker. */
  private static final class Topic {
    final Deque<OutgoingRecord> waiting = new ArrayDeque<>();
    boolean looking;
    boolean known;
    long usedNanos;
  }

  KafkaCarrier(KafkaSettings settings, CarrierContext context) {
    this(settings, context, new Producers(settings, context.name()));
  }

  KafkaCarrier(KafkaSettings settings, CarrierContext context, Producers producers) {
    this.context = context;
    this.producers = producers;
    this.check = new ClusterCheck(settings, context.name());
    this.writer = new RecordWriter(settings.keyAttribute());
    worker = pool(1, "kafka-" + context.name());
    lookups = pool(LOOKUP_THREADS, "kafka-" + context.name() + "-lookup");
    window = new CarrierWindow<>(context, this::timeOut);
  }

  private static ThreadPoolExecutor pool(int size, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadFactory threads(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public void send(CarrierAttempt attempt, Consumer<AttemptOutcome> done) {
    OutgoingRecord outgoing = new OutgoingRecord(window, attempt, done);
    AttemptOutcome refusal = window.refusal(outgoing, fault::refusal);
    if (refusal != null) {
      done.accept(refusal);
      return;
    }
    handedOver.add(outgoing);
    scheduleTaking();
  }

  @Override
  public CarrierState state() {
    return new CarrierState(fault.reason(), fault.sinceMillis(), connected ? 1 : 0, window.count());
  }

  @Override
  @SuppressWarnings("CollectionUndefinedEquality") // Each test is itself.
  public CompletionStage<String> test() {
    CompletableFuture<String> result = new CompletableFuture<>();
    tests.add(result);
    var unused = result.whenComplete((text, error) -> tests.remove(result));
    try {
      lookups.execute(
          () -> {
            try {
              result.complete(check.run());
            } catch (RuntimeException e) {
              result.completeExceptionally(e);
            } catch (InterruptedException e) {
              result.completeExceptionally(new CarrierException(CLOSED.reason()));
            }
          });
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(new CarrierException(CLOSED.reason()));
    }
    return result;
  }

  @Override
  public void close() {
    if (!window.close()) {
      return;
    }
    onWorker(this::giveBackWaiting);
    Producer<byte[], byte[]> open = producer;
    try {
      if (open != null) {
        // Waits for what was sent.
        open.close(Duration.ofMillis(CLOSE_MILLIS));
      }
    } finally {
      stopThreads();
      Producer<byte[], byte[]> last = made;
      if (last != null) {
        last.close(Duration.ZERO);
      }
      window.underWay().forEach(KafkaCarrier::endUnfinished);
    }
  }

  private void stopThreads() {
    List<Runnable> unusedWork = worker.shutdownNow();
    List<Runnable> unusedLookups = lookups.shutdownNow();
    List.copyOf(tests)
        .forEach(test -> test.completeExceptionally(new CarrierException(CLOSED.reason())));
    try {
      boolean unusedEnd = worker.awaitTermination(THREAD_STOP_MILLIS, TimeUnit.MILLISECONDS);
      boolean unusedLookupsEnd =
          lookups.awaitTermination(THREAD_STOP_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void endUnfinished(OutgoingRecord left) {
    if (left.sent) {
      left.end(CarrierFailure.CONNECTION_LOST, CLOSED.reason() + " before the acknowledgement");
    } else {
      left.giveBack(CLOSED);
    }
  }

  private void onWorker(Runnable task) {
    try {
      worker.execute(task);
    } catch (RejectedExecutionException e) {
      // The carrier is closed, and gives back what it still has.
    }
  }

  private void giveBackHandedOver() {
    for (OutgoingRecord next = handedOver.poll(); next != null; next = handedOver.poll()) {
      next.giveBack(CLOSED);
    }
  }

  private void giveBackWaiting() {
    giveBackHandedOver();
    giveBackWaiting(CLOSED);
  }

  private void giveBackWaiting(Block block) {
    waiting.forEach(each -> each.giveBack(block));
    waiting.clear();
    topics.values().forEach(topic -> topic.waiting.forEach(each -> each.giveBack(block)));
    topics.clear();
  }

  /** Ends an attempt whose time is over. On the thread of all timeouts. */
  private void timeOut(OutgoingRecord outgoing) {
    String limit = "within " + outgoing.attempt().timeout().toMillis() + " ms";
    if (outgoing.sent) {
      outgoing.end(CarrierFailure.TIMEOUT, "no acknowledgement " + limit);
      suspect();
    } else if (!outgoing.routed) {
      outgoing.giveBack(new Block(WHILE_BUSY, "the producer took no records " + limit));
    } else if (connected) {
      outgoing.end(CarrierFailure.TIMEOUT, "topic not known " + limit);
    } else {
      outgoing.giveBack(new Block(WHILE_CONNECTING, "not connected " + limit));
    }
  }

  private void scheduleTaking() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      onWorker(this::takeHandedOver);
    }
  }

  /**
   * Takes some of what was handed over. More arrives meanwhile, and the worker's other tasks, which
   * report that a topic or the cluster has gone, must get their turn.
   */
  private void takeHandedOver() {
    scheduled.set(false);
    heldUp = false;
    for (int i = 0; i < MAX_TAKEN_AT_ONCE && !heldUp; i++) {
      OutgoingRecord next = handedOver.poll();
      if (next == null) {
        return;
      }
      if (window.isClosed()) {
        next.giveBack(CLOSED);
      } else {
        route(next);
      }
    }
    scheduleTaking();
  }

  private void route(OutgoingRecord outgoing) {
    if (outgoing.hasOutcome()) {
      return;
    }
    outgoing.routed = true;
    Producer<byte[], byte[]> open = producer;
    if (open == null) {
      waiting.add(outgoing);
      if (!opening) {
        opening = true;
        lookUp(this::open);
      }
      return;
    }
    String name = outgoing.attempt().endpoint();
    Topic topic = topics.computeIfAbsent(name, unknown -> new Topic());
    long now = System.nanoTime();
    if (topic.known && now - topic.usedNanos < KNOWN_NANOS) {
      topic.usedNanos = now;
      transmit(open, outgoing);
      return;
    }
    topic.known = false;
    topic.waiting.add(outgoing);
    if (!topic.looking) {
      topic.looking = true;
      lookUp(() -> find(open, name));
    }
  }

  private void lookUp(Runnable task) {
    try {
      lookups.execute(task);
    } catch (RejectedExecutionException e) {
      onWorker(this::giveBackWaiting);
    }
  }

  /** On a thread for lookups: the names of the brokers are resolved here. */
  private void open() {
    Producer<byte[], byte[]> opened;
    try {
      opened = producers.open();
    } catch (RuntimeException e) {
      onWorker(
          () -> {
            opening = false;
            carrierFailed(null, ClusterCheck.line(e));
          });
      return;
    }
    made = opened;
    if (window.isClosed()) {
      opened.close(Duration.ZERO);
      return;
    }
    onWorker(
        () -> {
          opening = false;
          if (window.isClosed()) {
            giveBackWaiting();
            return;
          }
          producer = opened;
          List<OutgoingRecord> all = List.copyOf(waiting);
          waiting.clear();
          all.forEach(this::route);
        });
  }

  /** On a thread for lookups. */
  private void find(Producer<byte[], byte[]> open, String name) {
    try {
      var unused = open.partitionsFor(name);
      onWorker(() -> found(open, name));
    } catch (RuntimeException e) {
      String down = KafkaErrors.isOfConnection(e) ? reasonOfFault() : null;
      onWorker(() -> notFound(open, name, e, down));
    }
  }

  /** Returns why the cluster cannot be used; null if it can. On a thread for lookups. */
  private @Nullable String reasonOfFault() {
    try {
      String unused = check.run();
      return null;
    } catch (CarrierException e) {
      return e.getMessage();
    } catch (InterruptedException e) {
      return CLOSED.reason();
    }
  }

  private void found(Producer<byte[], byte[]> open, String name) {
    Topic topic = topics.get(name);
    if (open != producer || topic == null) {
      return;
    }
    connected = true;
    recover();
    topic.looking = false;
    topic.known = true;
    topic.usedNanos = System.nanoTime();
    heldUp = false;
    while (!heldUp && !topic.waiting.isEmpty()) {
      transmit(open, topic.waiting.remove());
    }
    if (!topic.waiting.isEmpty()) {
      topic.looking = true;
      lookUp(() -> find(open, name));
    }
    if (topics.size() > MAX_TOPICS) {
      topics.values().removeIf(each -> each.known && each.waiting.isEmpty());
    }
  }

  private void notFound(
      Producer<byte[], byte[]> open, String name, RuntimeException error, @Nullable String down) {
    Topic topic = topics.get(name);
    if (open != producer || topic == null) {
      return;
    }
    if (down != null) {
      carrierFailed(open, down);
      return;
    }
    if (isAtFault(error, name)) {
      carrierFailed(open, KafkaErrors.line(error));
      return;
    }
    // The cluster has answered.
    connected = true;
    recover();
    topics.remove(name);
    for (OutgoingRecord each : topic.waiting) {
      if (KafkaErrors.isOfConnection(error)) {
        each.end(
            each.outcome(
                CarrierFailure.TRANSIENT,
                3,
                "3 UNKNOWN_TOPIC_OR_PARTITION: the cluster does not know it"));
      } else {
        refused(open, each, error);
      }
    }
  }

  private void transmit(Producer<byte[], byte[]> open, OutgoingRecord outgoing) {
    if (outgoing.hasOutcome()) {
      return;
    }
    if (!outgoing.attempt().mayBegin().getAsBoolean()) {
      outgoing.end(AttemptOutcome.MAY_NOT_BEGIN);
      return;
    }
    outgoing.sent = true;
    Thread caller = Thread.currentThread();
    try {
      var unused =
          open.send(
              writer.write(outgoing.attempt()),
              (metadata, error) -> {
                if (error == null) {
                  acknowledged(outgoing, metadata);
                } else if (Thread.currentThread() == caller) {
                  notSent(open, outgoing, error);
                } else {
                  refused(open, outgoing, error);
                }
              });
    } catch (RuntimeException e) {
      notSent(open, outgoing, e);
    }
  }

  /** Ends an attempt whose record the producer itself did not take. On the worker. */
  private void notSent(Producer<byte[], byte[]> open, OutgoingRecord outgoing, Exception error) {
    if (!(error instanceof TimeoutException)) {
      refused(open, outgoing, error);
      return;
    }
    // Its buffer is full, or it no longer knows the topic.
    heldUp = true;
    Topic topic = topics.get(outgoing.attempt().endpoint());
    if (topic != null) {
      topic.known = false;
    }
    outgoing.giveBack(new Block(WHILE_BUSY, KafkaErrors.line(error)));
    suspect();
  }

  private void acknowledged(OutgoingRecord outgoing, @Nullable RecordMetadata metadata) {
    if (fault.taken(outgoing.attempt().endpoint())) {
      context.recovered();
    }
    outgoing.end(null, metadata == null ? "acknowledged" : "acknowledged: " + metadata);
  }

  /** Gives the outcome of an attempt whose record the producer or a broker did not take. */
  private void refused(Producer<byte[], byte[]> open, OutgoingRecord outgoing, Exception error) {
    String topic = outgoing.attempt().endpoint();
    String line = KafkaErrors.line(error);
    if (isAtFault(error, topic)) {
      outgoing.giveBack(fail(open, line));
      return;
    }
    outgoing.end(outgoing.outcome(KafkaErrors.failure(error), KafkaErrors.code(error), line));
    if (KafkaErrors.verdict(error).consequence() == Consequence.RETRY) {
      forget(open, topic);
    }
    if (KafkaErrors.isOfConnection(error)) {
      suspect();
    }
  }

  private boolean isAtFault(Exception error, String topic) {
    return fault.isAtFault(
        KafkaErrors.verdict(error), topic, Integer.toString(KafkaErrors.code(error)));
  }

  /** A topic may have gone: the next record must not block the worker. */
  private void forget(Producer<byte[], byte[]> open, String name) {
    onWorker(
        () -> {
          Topic topic = topics.get(name);
          if (open == producer && topic != null) {
            topic.known = false;
          }
        });
  }

  /** Finds out whether the cluster is still there, unless that is under way. */
  private void suspect() {
    Producer<byte[], byte[]> open = producer;
    if (window.isClosed() || open == null || !checking.compareAndSet(false, true)) {
      return;
    }
    lookUp(
        () -> {
          String down = reasonOfFault();
          checking.set(false);
          if (down != null) {
            onWorker(() -> carrierFailed(open, down));
          }
        });
  }

  /** Notes a fault; the worker then ends the producer. */
  private Block fail(Producer<byte[], byte[]> open, String reason) {
    connected = false;
    Block block = fault.failed(reason);
    onWorker(() -> end(open, block));
    return block;
  }

  private void carrierFailed(@Nullable Producer<byte[], byte[]> open, String reason) {
    if (window.isClosed() || (open != null && open != producer)) {
      return;
    }
    connected = false;
    end(open, fault.failed(reason));
  }

  private void end(@Nullable Producer<byte[], byte[]> open, Block block) {
    if (open != producer) {
      return;
    }
    producer = null;
    giveBackWaiting(block);
    if (open != null) {
      // What is under way may have been taken: its callbacks report a closed producer.
      open.close(Duration.ZERO);
    }
  }

  private void recover() {
    if (fault.recovered()) {
      context.recovered();
    }
  }
}
