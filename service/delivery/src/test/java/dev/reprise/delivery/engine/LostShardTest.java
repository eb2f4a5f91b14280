package dev.reprise.delivery.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.host.DeliveryListener;
import dev.reprise.delivery.host.Lease;
import dev.reprise.delivery.host.ShardLoop;
import dev.reprise.delivery.host.ShardOpener;
import dev.reprise.delivery.host.SteadyClock;
import dev.reprise.delivery.host.TurnPace;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RepeatingStore;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.fixtures.Await;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shard that another process may take over. */
class LostShardTest {
  private static final AttemptOutcome DELIVERED =
      new AttemptOutcome(null, 200, "200", "192.0.2.1:80", new byte[0], 1_000_000);

  @TempDir Path folder;
  private final BlockingQueue<Attempt> attempts = new LinkedBlockingQueue<>();
  private final LosableStore store = new LosableStore();
  private final TestLease lease = new TestLease();
  private volatile TurnPace pace = TurnPace.AT_ONCE;
  private ShardLoop loop;

  /** A store that another process may have taken over. */
  private static final class LosableStore implements Store {
    private Store below;
    private volatile boolean lost;
    private volatile long mayBeginNanos = System.nanoTime();
    private final AtomicInteger early = new AtomicInteger();

    @Override
    public byte @Nullable [] get(byte[] key) {
      return below.get(key);
    }

    @Override
    public Cursor range(byte[] from, byte[] to) {
      return below.range(from, to);
    }

    @Override
    public Cursor reverseRange(byte[] from, byte[] to) {
      return below.reverseRange(from, to);
    }

    @Override
    public void write(Batch batch) {
      if (lost) {
        throw StoreException.lost("fenced by node 2", null);
      }
      if (System.nanoTime() - mayBeginNanos < 0) {
        early.incrementAndGet();
      }
      below.write(batch);
    }

    @Override
    public void close() {
      below.close();
    }
  }

  /** A lease that lasts until the test ends it. */
  private static final class TestLease implements Lease {
    private volatile boolean held = true;
    private volatile boolean lost;
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public void confirm() {
      if (lost) {
        throw StoreException.lost("fenced by node 2", null);
      }
    }

    @Override
    public boolean isHeld() {
      asked.incrementAndGet();
      return held;
    }
  }

  @BeforeEach
  void open() {
    RocksStore rocks = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
    Catalog catalog = new Catalog(rocks.view(0));
    NotificationPolicy policy = NotificationPolicy.of(Presets.get("no-retry"));
    catalog.putTopic(new Topic(Topic.DEFAULT_PROJECT, "orders", policy, 0), (topic, one) -> {});
    catalog.addSubscription(
        Topic.DEFAULT_PROJECT,
        "orders",
        SubscriptionSettings.of("http://192.0.2.1/hook"),
        0,
        (topic, one) -> {});
    store.below = rocks.view(1);
    ShardOpener opener =
        new ShardOpener(
            1,
            catalog,
            ShardSettings.DEFAULT.withHistoryBytes(1 << 20),
            MinuteSettings.DEFAULT,
            new SteadyClock(System::currentTimeMillis, System::nanoTime, 0),
            (claim, done) -> {
              attempts.add(claim);
              done.accept(DELIVERED);
            },
            DeliveryListener.NONE,
            () -> false);
    loop = opener.open(0, RepeatingStore.ofReads(store), lease, now -> pace.next(now));
    closing = rocks;
    loop.start();
  }

  private RocksStore closing;

  @AfterEach
  void close() throws Exception {
    loop.stop();
    assertThat(loop.awaitEnd(TimeUnit.MINUTES.toNanos(5))).isTrue();
    closing.close();
  }

  private PendingReply<ShardInput.Accepted> publish() {
    PendingReply<ShardInput.Accepted> reply = new PendingReply<>();
    MessageId message =
        MessageId.create(System.currentTimeMillis(), RandomGenerator.of("SplittableRandom"));
    byte[] payload =
        PayloadRecord.encode(new Payload("text/plain", new byte[0], "hello".getBytes(UTF_8)));
    loop.submit(new ShardInput.Publish(message, payload, new long[] {1}, false, reply));
    return reply;
  }

  private static StoreException refusal(PendingReply<?> reply) {
    Throwable error =
        reply.future.handle((answer, failure) -> failure).orTimeout(1, TimeUnit.MINUTES).join();
    assertThat(error).isInstanceOf(StoreException.class);
    return (StoreException) error;
  }

  @Test
  void endsWhenItIsTakenOverAndNothingHasFailed() throws Exception {
    store.lost = true;

    assertThat(refusal(publish())).hasMessageContaining("fenced by node 2");

    assertThat(loop.awaitEnd(TimeUnit.MINUTES.toNanos(5))).isTrue();
    assertThat(loop.failure()).as("a reason to end the process").isNull();
    assertThat(refusal(publish())).as("what comes later").hasMessageContaining("fenced");
    assertThat(attempts).isEmpty();
  }

  @Test
  void startsNoAttemptThatIsNotConfirmed() throws Exception {
    lease.lost = true;

    PendingReply<ShardInput.Accepted> reply = publish();

    assertThat(loop.awaitEnd(TimeUnit.MINUTES.toNanos(5))).isTrue();
    assertThat(loop.failure()).isNull();
    assertThat(attempts).isEmpty();
    assertThat(reply.future.get(1, TimeUnit.MINUTES).deliveries()).as("it is durable").isOne();
  }

  @Test
  void anAttemptAtTheEndOfTheLeaseIsMadeOnceThereIsOneAgain() throws Exception {
    lease.held = false;
    PendingReply<ShardInput.Accepted> reply = publish();
    assertThat(reply.future.get(1, TimeUnit.MINUTES).deliveries()).isOne();
    Await.until("it asks for its lease", () -> lease.asked.get() >= 3);
    assertThat(attempts).isEmpty();

    lease.held = true;

    assertThat(attempts.poll(1, TimeUnit.MINUTES)).isNotNull();
  }

  @Test
  void anAttemptThatWaitsMayNotBeginAfterTheLease() throws Exception {
    publish();
    Attempt attempt = attempts.poll(1, TimeUnit.MINUTES);
    assertThat(attempt.mayBegin()).isTrue();

    lease.held = false;

    assertThat(attempt.mayBegin()).isFalse();
    assertThat(attempt.message()).isNotNull();
  }

  @Test
  void aTurnBeginsNoSoonerThanThePaceAllows() throws Exception {
    AtomicInteger booked = new AtomicInteger();
    pace =
        now -> {
          booked.incrementAndGet();
          store.mayBeginNanos = now + TimeUnit.MILLISECONDS.toNanos(100);
          return store.mayBeginNanos;
        };

    for (int i = 0; i < 3; i++) {
      publish().future.get(1, TimeUnit.MINUTES);
    }

    assertThat(booked.get()).isGreaterThanOrEqualTo(3);
    assertThat(store.early.get()).isZero();
  }
}
