package dev.reprise.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.LimitReason;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.shard.MinuteRecord;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Questions and answers between nodes arrive as they were sent. */
class PeerAsksTest {
  private static final MessageId MESSAGE = MessageId.of(1_790_000_000_000L, 7, -3);
  private static final Position PLACE = new Position(5, MESSAGE);
  private static final SweepRequest SWEEP =
      new SweepRequest(
          new DeadLetterFilter(
              StopReason.NOT_RETRYABLE,
              MESSAGE,
              3,
              Long.MAX_VALUE,
              AttributeFilter.of(JsonMapper.shared().readTree("{\"a\":[\"b\"]}")),
              "text"),
          9,
          PLACE,
          17,
          2.5,
          4);
  private static final SweepRequest ALL = new SweepRequest(DeadLetterFilter.ALL, 9, null, 17, 0, 0);
  private static final SweepProgress PROGRESS = new SweepProgress(3, PLACE, 8);

  private record Awaited<T>(CompletableFuture<T> future) implements Reply<T> {
    @Override
    public void complete(T answer) {
      future.complete(answer);
    }

    @Override
    public void fail(Throwable error) {
      future.completeExceptionally(error);
    }
  }

  /**
   * Sends a question, has it answered where it arrives, and returns the answer that comes back.
   *
   * @param asks makes the question; it is equal to what arrives, but for where the answer goes
   */
  private static <T> T asked(BiFunction<Long, Reply<T>, ShardInput.Asks<T>> asks, T answer) {
    CompletableFuture<T> came = new CompletableFuture<>();
    ShardInput.Asks<T> sent = asks.apply(12L, new Awaited<>(came));
    CompletableFuture<byte[]> answered = new CompletableFuture<>();
    ShardInput.Asks<?> arrived = PeerAsks.decode(PeerAsks.encode(sent), answered);
    @SuppressWarnings("unchecked") // Of the same kind.
    Reply<T> reply = (Reply<T>) arrived.reply();
    assertThat(arrived).usingRecursiveComparison().ignoringFields("reply").isEqualTo(sent);
    reply.complete(answer);
    PeerAsks.complete(sent, 2, answered.join());
    return came.join();
  }

  @Test
  void walks_arrive() {
    for (SweepRequest sweep : List.of(SWEEP, ALL)) {
      assertThat(asked((n, reply) -> new ShardInput.Redrive(n, sweep, reply), PROGRESS))
          .isEqualTo(PROGRESS);
      assertThat(asked((n, reply) -> new ShardInput.Purge(n, sweep, reply), PROGRESS))
          .isEqualTo(PROGRESS);
    }
    SweepProgress end = new SweepProgress(0, null, 0);
    assertThat(asked((n, reply) -> new ShardInput.AttemptNow(n, null, PLACE, 5, reply), end))
        .isEqualTo(end);
    assertThat(asked((n, reply) -> new ShardInput.Cancel(n, MESSAGE, null, 5, reply), PROGRESS))
        .isEqualTo(PROGRESS);
    assertThat(asked((n, reply) -> new ShardInput.Moved(n, List.of(PLACE, PLACE), reply), 2))
        .isEqualTo(2);
  }

  @Test
  void suspensions_arrive() {
    Suspension suspension = new Suspension(Suspension.Cause.ENDPOINT, 4, "gone: \u00e9", 6, 7);
    assertThat(asked((n, reply) -> new ShardInput.Suspend(n, "why", 60_000, 10, reply), suspension))
        .isEqualTo(suspension);
    assertThat(asked(ShardInput.Release::new, true)).isTrue();
    assertThat(asked((n, reply) -> new ShardInput.AcknowledgeLost(reply), true)).isTrue();
  }

  @Test
  void what_memory_knows_arrives() {
    EndpointHealth health =
        new EndpointHealth(1, 2, 3, LimitReason.FAILURES, 4, 5, -1, Set.of(MESSAGE), null);
    assertThat(asked(ShardInput.Inspect::new, health)).isEqualTo(health);
    EndpointHealth held =
        new EndpointHealth(
            1,
            2,
            3,
            LimitReason.MAXIMUM,
            0,
            0,
            9,
            Set.of(),
            new EndpointHealth.GroupHold("carrier smsc", "its limit", 8));
    assertThat(asked(ShardInput.Inspect::new, held)).isEqualTo(held);

    EndpointFigures figures = new EndpointFigures(120_000);
    figures.count(5, 2, 1);
    figures.count(OutcomeClass.SUCCESS, 8);
    figures.limit(9);
    EndpointFigures came = asked(ShardInput.PresentMinute::new, Optional.of(figures)).orElseThrow();
    assertThat(came.fromMillis()).isEqualTo(120_000);
    assertThat(MinuteRecord.encode(came)).isEqualTo(MinuteRecord.encode(figures));
    assertThat(asked(ShardInput.PresentMinute::new, Optional.empty())).isEmpty();
  }

  @Test
  void a_subscription_that_has_gone_is_no_shard_that_has() {
    assertThatThrownBy(() -> failed(new NoSubscriptionException()))
        .hasCauseInstanceOf(NoSubscriptionException.class);
    assertThatThrownBy(() -> failed(new IllegalStateException("ended")))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(ShardElsewhereException.class);
  }

  private static void failed(Throwable error) {
    CompletableFuture<Boolean> came = new CompletableFuture<>();
    ShardInput.Release sent = new ShardInput.Release(1, new Awaited<>(came));
    CompletableFuture<byte[]> answered = new CompletableFuture<>();
    PeerAsks.decode(PeerAsks.encode(sent), answered).reply().fail(error);
    try {
      PeerAsks.complete(sent, 2, answered.join());
    } catch (RuntimeException e) {
      came.completeExceptionally(e);
    }
    assertThat(PeerProtocol.isElsewhere(answered.join()))
        .isEqualTo(!(error instanceof NoSubscriptionException));
    came.join();
  }
}
