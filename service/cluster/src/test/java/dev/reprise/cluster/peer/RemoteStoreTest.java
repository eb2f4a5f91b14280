package dev.reprise.cluster.peer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store of another node, over a transport that does what a test wants. */
class RemoteStoreTest {
  private static final ShardMap.Node OWNER = new ShardMap.Node("owner", "http://192.0.2.1");
  private static final byte[] FIRST = {0};
  private static final byte[] END = {(byte) 0xff};

  @TempDir Path folder;
  private RocksStore rocks;
  private Store store;
  private volatile ShardMap.Node owner = OWNER;
  private volatile PeerClient client =
      (node, request) -> CompletableFuture.completedFuture(answer(request));
  private int calls;
  private Duration wait = Duration.ZERO;
  private final Semaphore waiting = new Semaphore(1);

  @BeforeEach
  void open() {
    rocks = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
    store = rocks.view(1);
  }

  @AfterEach
  void close() {
    rocks.close();
  }

  private byte[] answer(byte[] request) {
    calls++;
    return PeerProtocol.answerFrom(store, PeerProtocol.decode(request));
  }

  private RemoteStore remote() {
    return new RemoteStore(2, new OwnerCalls(shard -> owner, wait), client, waiting);
  }

  private static List<String> keys(Store.Cursor cursor) {
    List<String> keys = new ArrayList<>();
    try (cursor) {
      while (cursor.next()) {
        keys.add(new String(cursor.key(), UTF_8) + "=" + cursor.value().length);
      }
    }
    return keys;
  }

  @Test
  void rangesOfManyPagesAreThoseOfTheStore() {
    Batch batch = new Batch();
    for (int i = 0; i < 2500; i++) {
      batch.put(String.format(Locale.ROOT, "k%05d", i).getBytes(UTF_8), new byte[i % 700]);
    }
    store.write(batch);

    List<String> all = keys(store.range(FIRST, END));
    assertThat(keys(remote().range(FIRST, END))).isEqualTo(all).hasSize(2500);
    assertThat(calls).isGreaterThan(2);
    Collections.reverse(all);
    assertThat(keys(remote().reverseRange(FIRST, END))).isEqualTo(all);
    assertThat(remote().get("k00699".getBytes(UTF_8))).hasSize(699);
    assertThat(remote().get("none".getBytes(UTF_8))).isNull();
    assertThat(keys(remote().range("x".getBytes(UTF_8), END))).isEmpty();
  }

  @Test
  void whoDoesNotAnswerIsNamed() {
    client = (node, request) -> CompletableFuture.failedFuture(new IOException("reset by peer"));
    assertThatThrownBy(() -> remote().get(FIRST))
        .isInstanceOf(ShardElsewhereException.class)
        .hasMessageContaining("owned by owner, which does not answer")
        .hasMessageContaining("reset by peer");
    owner = null;
    assertThatThrownBy(() -> remote().range(FIRST, END).next())
        .isInstanceOf(ShardElsewhereException.class)
        .hasMessageContaining("has no owner just now");
  }

  @Test
  void aShardThatMovesBetweenTwoPagesIsElsewhere() {
    Batch batch = new Batch();
    for (int i = 0; i < 1500; i++) {
      batch.put(String.format(Locale.ROOT, "k%05d", i).getBytes(UTF_8), new byte[1]);
    }
    store.write(batch);
    client =
        (node, request) ->
            CompletableFuture.completedFuture(
                calls == 0 ? answer(request) : PeerProtocol.elsewhere());
    Store.Cursor moved = remote().range(FIRST, END);
    assertThatThrownBy(() -> keys(moved)).isInstanceOf(ShardElsewhereException.class);
  }

  @Test
  void aShardOnItsWayIsWaitedFor() {
    Batch batch = new Batch();
    batch.put("k".getBytes(UTF_8), new byte[5]);
    store.write(batch);
    wait = Duration.ofDays(1);
    client =
        (node, request) -> {
          calls++;
          if (calls == 1) {
            return CompletableFuture.failedFuture(new IOException("reset by peer"));
          }
          return CompletableFuture.completedFuture(
              calls == 2 ? PeerProtocol.elsewhere() : answer(request));
        };
    assertThat(remote().get("k".getBytes(UTF_8))).hasSize(5);
  }

  @Test
  void anOwnerThatDoesNotAnswerIsLeftForTheNextOne() {
    Batch batch = new Batch();
    batch.put("k".getBytes(UTF_8), new byte[5]);
    store.write(batch);
    wait = Duration.ofDays(1);
    ShardMap.Node next = new ShardMap.Node("next", "http://192.0.2.2");
    client =
        (node, request) -> {
          if (node.equals(next)) {
            return CompletableFuture.completedFuture(answer(request));
          }
          owner = next;
          return new CompletableFuture<>();
        };

    assertTimeoutPreemptively(
        Duration.ofMinutes(5), () -> assertThat(remote().get("k".getBytes(UTF_8))).hasSize(5));
    assertThat(waiting.availablePermits()).isEqualTo(1);
  }

  @Test
  void noMoreThreadsWaitThanMay() throws Exception {
    wait = Duration.ofDays(1);
    owner = null;
    FutureTask<Boolean> first = new FutureTask<>(() -> remote().get(FIRST) == null);
    Thread thread = new Thread(first);
    thread.start();
    Await.value("places", waiting::availablePermits, places -> places == 0);

    assertThatThrownBy(() -> remote().get(FIRST))
        .isInstanceOf(ShardElsewhereException.class)
        .hasMessageContaining("has no owner just now, and too many wait for shards already");
    // Whatever is answered soon needs no place.
    AtomicBoolean silent = new AtomicBoolean();
    client =
        (node, request) ->
            silent.get()
                ? new CompletableFuture<>()
                : CompletableFuture.completedFuture(answer(request));
    RemoteStore other = new RemoteStore(3, new OwnerCalls(shard -> OWNER, wait), client, waiting);
    assertThat(other.get(FIRST)).isNull();
    silent.set(true);
    assertThatThrownBy(() -> other.get(FIRST))
        .hasMessageContaining("owner, which does not answer, and too many wait");

    silent.set(false);
    owner = OWNER;
    assertThat(first.get(5, TimeUnit.MINUTES)).isTrue();
    thread.join();
    assertThat(waiting.availablePermits()).isEqualTo(1);
  }

  @Test
  void whatIsCutIsRefused() {
    Batch batch = new Batch();
    batch.put("k".getBytes(UTF_8), new byte[100]);
    store.write(batch);
    client =
        (node, request) -> {
          byte[] whole = answer(request);
          return CompletableFuture.completedFuture(Arrays.copyOf(whole, whole.length - 20));
        };
    assertThatThrownBy(() -> remote().get("k".getBytes(UTF_8)))
        .isInstanceOf(ClusterException.class);
    assertThatThrownBy(() -> remote().range(FIRST, END).next())
        .isInstanceOf(ClusterException.class);
  }
}
