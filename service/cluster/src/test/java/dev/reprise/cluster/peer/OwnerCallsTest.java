package dev.reprise.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.delivery.host.ShardElsewhereException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Questions to the owner of a shard that is away, goes, or does not answer. */
class OwnerCallsTest {
  private static final ShardMap.Node FIRST = new ShardMap.Node("first", "http://192.0.2.1");
  private static final ShardMap.Node NEXT = new ShardMap.Node("next", "http://192.0.2.2");
  private static final Duration LONG = Duration.ofHours(1);

  private final AtomicReference<ShardMap.@Nullable Node> owner = new AtomicReference<>(FIRST);
  private final AtomicInteger asked = new AtomicInteger();

  private OwnerCalls calls(Duration maxWait) {
    return new OwnerCalls(shard -> owner.get(), maxWait);
  }

  private final class Question implements OwnerCalls.Question<String, String> {
    private final boolean mayRepeat;
    private final Function<ShardMap.Node, CompletionStage<String>> there;

    Question(boolean mayRepeat, Function<ShardMap.Node, CompletionStage<String>> there) {
      this.mayRepeat = mayRepeat;
      this.there = there;
    }

    @Override
    public CompletionStage<String> there(ShardMap.Node node) {
      asked.incrementAndGet();
      return there.apply(node);
    }

    @Override
    public String read(String answer) {
      if (answer.equals("elsewhere")) {
        throw OwnerCalls.AskAgainException.onItsWay();
      }
      return answer;
    }

    @Override
    public boolean mayRepeat() {
      return mayRepeat;
    }
  }

  private static CompletionStage<String> fails(Exception error) {
    return CompletableFuture.failedFuture(new CompletionException(error));
  }

  @Test
  void aChangeIsAskedForAgainAsLongAsNothingWasDone() {
    Question change =
        new Question(
            false,
            node -> {
              if (asked.get() == 1) {
                return fails(new NotSentException("connection refused"));
              }
              owner.set(NEXT);
              return CompletableFuture.completedFuture(node.equals(NEXT) ? "done" : "elsewhere");
            });
    assertThat(calls(LONG).ask(1, change).join()).isEqualTo("done");
    assertThat(asked).hasValue(3);
  }

  @Test
  void aChangeThatMayHaveBeenMadeIsNotAskedForAgain() {
    CompletableFuture<String> answer =
        calls(LONG).ask(1, new Question(false, node -> fails(new IOException("reset by peer"))));
    assertThatThrownBy(answer::join)
        .hasCauseInstanceOf(ShardElsewhereException.class)
        .hasMessageContaining("shard 1 is owned by first, which has not answered")
        .hasMessageContaining("may have been made, or not");
    assertThat(asked).hasValue(1);
  }

  @Test
  void whatOnlyLooksIsAskedAgainAfterAnyFailure() {
    Question look =
        new Question(
            true,
            node ->
                asked.get() < 4
                    ? fails(new IOException("reset by peer"))
                    : CompletableFuture.completedFuture("seen"));
    List<String> reasons = new ArrayList<>();
    assertThat(calls(LONG).await(1, look, reasons::add)).isEqualTo("seen");
    String reason = "is owned by first, which does not answer: reset by peer";
    assertThat(reasons).containsExactly(reason, reason, reason);
  }

  @Test
  void theNextOwnerIsAskedBeforeOneThatStandsStillHasAnswered() {
    Question look =
        new Question(
            true,
            node -> {
              owner.set(NEXT);
              return node.equals(NEXT)
                  ? CompletableFuture.completedFuture("seen")
                  : new CompletableFuture<>();
            });
    assertThat(calls(LONG).ask(1, look).join()).isEqualTo("seen");
  }

  @Test
  void aRefusalIsNoReasonToAskAgain() {
    Question refused =
        new Question(
            true,
            node -> {
              throw new IllegalArgumentException("no such thing");
            });
    assertThatThrownBy(() -> calls(LONG).await(1, refused, why -> {}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(asked).hasValue(1);
  }

  @Test
  void theLastReasonIsToldAndThereIsAPauseBeforeEveryQuestion() {
    Question never = new Question(true, node -> fails(new NotSentException("connection refused")));
    assertThatThrownBy(() -> calls(Duration.ofSeconds(1)).await(1, never, why -> {}))
        .isInstanceOf(ShardElsewhereException.class)
        .hasMessageContaining("owned by first, which is not reached: connection refused");
    // The first pauses are of 25, 37 and 56 ms at least, all others of 84 ms or more.
    assertThat(asked).hasValueLessThanOrEqualTo(15);

    owner.set(null);
    assertThatThrownBy(() -> calls(Duration.ZERO).await(1, never, why -> {}))
        .hasMessage("shard 1 has no owner just now");
  }

  @Test
  void whoeverWaitsMayDecideNotTo() {
    owner.set(null);
    assertThatThrownBy(
            () ->
                calls(LONG)
                    .await(
                        1,
                        new Question(true, node -> new CompletableFuture<>()),
                        why -> {
                          throw new IllegalStateException("too many wait: " + why);
                        }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has no owner just now");
  }

  @Test
  void anInterruptEndsTheWait() {
    owner.set(null);
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(
              () ->
                  calls(LONG)
                      .await(1, new Question(true, node -> new CompletableFuture<>()), why -> {}))
          .isInstanceOf(ShardElsewhereException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
