package dev.reprise.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.IgnoredReply;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.shard.ShardInput;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A publish with a key, while the shard that knows the key moves. */
class ReservationTest {
  private static final ShardMap.Node STOPPED = new ShardMap.Node("stopped", "http://192.0.2.1");
  private static final ShardMap.Node NEXT = new ShardMap.Node("next", "http://192.0.2.2");
  private static final ShardInput.Reserved RESERVED =
      new ShardInput.Reserved(new MessageId(1_000, 7), List.of(3), false);

  private final AtomicReference<ShardMap.Node> owner = new AtomicReference<>(STOPPED);
  private final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();

  private CompletableFuture<ShardInput.Reserved> reserve(PeerClient client) {
    ShardInput.Keyed proposed = new ShardInput.Keyed(new MessageId(1_000, 7), List.of(3));
    Reservation reservation =
        new Reservation(
            3,
            new ShardInput.Reserve(new byte[32], 5, proposed, new IgnoredReply<>()),
            shard -> null,
            client,
            () -> false);
    return new OwnerCalls(shard -> owner.get(), OwnerCalls.MAX_WAIT).ask(3, reservation);
  }

  @Test
  void itIsAnsweredByTheNextOwnerWhileTheFirstStandsStill() throws Exception {
    CompletableFuture<ShardInput.Reserved> reserved =
        reserve(
            (node, request) -> {
              asked.add(node.name());
              return node.equals(NEXT)
                  ? CompletableFuture.completedFuture(PeerProtocol.reserved(RESERVED))
                  : new CompletableFuture<>();
            });
    assertThat(asked).containsExactly("stopped");

    owner.set(NEXT);

    assertThat(reserved.get(5, TimeUnit.MINUTES)).isEqualTo(RESERVED);
    assertThat(asked).containsExactly("stopped", "next");
  }

  @Test
  void aShardThatNobodyOwnsForAWhileIsWaitedFor() throws Exception {
    CompletableFuture<ShardInput.Reserved> reserved =
        reserve(
            (node, request) -> {
              asked.add(node.name());
              if (node.equals(NEXT)) {
                return CompletableFuture.completedFuture(PeerProtocol.reserved(RESERVED));
              }
              owner.set(null);
              return CompletableFuture.completedFuture(PeerProtocol.elsewhere());
            });

    owner.set(NEXT);

    assertThat(reserved.get(5, TimeUnit.MINUTES)).isEqualTo(RESERVED);
  }
}
