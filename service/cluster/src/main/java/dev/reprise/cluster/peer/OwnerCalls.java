package dev.reprise.cluster.peer;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.retry.Retry;
import dev.reprise.delivery.host.ShardElsewhereException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Asks the owner of a shard, whichever node that is. As long as nothing was done, because there is
 * no owner just now or it has not got the question, it is asked again: a take-over takes seconds.
 * What changes nothing is asked again after any failure, and also of the next owner before the
 * first has answered. Safe for use by many threads.
 */
public final class OwnerCalls {
  /**
   * For how long an owner is waited for. A take-over takes a session (6 s by default) and some
   * seconds, on a machine under load twice as many. Clients commonly wait for 30 s, and are to get
   * the reason before.
   */
  public static final Duration MAX_WAIT = Duration.ofSeconds(25);

  /** An owner that is well answers sooner. */
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Repeats questions. It ends by the time of each question and not by a deadline of its own, which
   * would also end a change that its owner has begun.
   */
  private static final Retry RETRY =
      Retry.builder()
          .name("owner of a shard")
          .maxAttempts(Integer.MAX_VALUE)
          .backoff(
              Backoff.exponential(Duration.ofMillis(50), 1.5, Duration.ofMillis(200))
                  .withEqualJitter())
          // A node asks no more than it is asked itself, and what it may be asked is bounded.
          .budget(RetryBudget.unlimited())
          .retryOn(AskAgainException.class)
          .abortIf(failure -> !(failure instanceof AskAgainException))
          .build();

  private final IntFunction<ShardMap.@Nullable Node> owners;
  private final long maxWaitNanos;

  /**
   * Calls to the owners of shards.
   *
   * @param owners knows the owner of each shard; null if there is none
   * @param maxWait for how long each question is asked again
   */
  public OwnerCalls(IntFunction<ShardMap.@Nullable Node> owners, Duration maxWait) {
    this.owners = owners;
    this.maxWaitNanos = maxWait.toNanos();
  }

  /**
   * A question to the owner of a shard.
   *
   * @param <R> the answer as another node gives it
   * @param <T> the answer
   */
  public interface Question<R, T> {
    /** Returns the answer if this node can give it; null if another one must be asked. */
    default @Nullable CompletionStage<T> here() {
      return null;
    }

    /**
     * Asks the owner. Does not block.
     *
     * @return fails with {@link NotSentException} if the owner has not got the question
     */
    CompletionStage<R> there(ShardMap.Node owner);

    /**
     * Reads what the owner has answered.
     *
     * @throws AskAgainException if it has done nothing, and another node may
     */
    T read(R answer);

    /** Returns whether the question may be asked again although it may have taken effect. */
    boolean mayRepeat();
  }

  /** Nothing was done, and may be later. */
  public static final class AskAgainException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * The exception.
     *
     * @param where the place of the shard, for people
     */
    public AskAgainException(String where) {
      // One of many: neither stack nor suppressed failures are worth their price.
      super(where, null, false, false);
    }

    /** Returns the exception for a shard of which another node answers that it is not there. */
    public static AskAgainException onItsWay() {
      return new AskAgainException("is on its way to another node");
    }

    private String where() {
      return String.valueOf(getMessage());
    }
  }

  /**
   * Asks; does not block, and no thread waits.
   *
   * @return fails with {@link ShardElsewhereException} if the owner is not reached in time, or has
   *     not answered what may not be repeated; else as the question
   */
  public <R, T> CompletableFuture<T> ask(int shard, Question<R, T> question) {
    Call<R, T> call = new Call<>(shard, question);
    return RETRY.callAsync(call::attempt);
  }

  /**
   * The same; blocks.
   *
   * @param waits receives the reason, before anything is waited for that takes long; what it throws
   *     ends the call
   * @throws ShardElsewhereException as {@link #ask}, or if the thread is interrupted, which it
   *     stays
   */
  public <R, T> T await(int shard, Question<R, T> question, Consumer<String> waits) {
    Call<R, T> call = new Call<>(shard, question);
    try {
      return RETRY.call(() -> call.await(waits));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ShardElsewhereException(shard, "was not waited for");
    } catch (AskAgainException e) {
      // Of a thread that was interrupted between two attempts.
      throw new ShardElsewhereException(shard, e.where());
    }
  }

  /** One question until it is answered. */
  private final class Call<R, T> {
    private final int shard;
    private final Question<R, T> question;
    private final long startNanos = System.nanoTime();
    private ShardMap.@Nullable Node asked;

    Call(int shard, Question<R, T> question) {
      this.shard = shard;
      this.question = question;
    }

    private long leftNanos() {
      return maxWaitNanos - (System.nanoTime() - startNanos);
    }

    CompletableFuture<T> attempt() {
      CompletableFuture<T> answer = new CompletableFuture<>();
      try {
        CompletionStage<T> here = question.here();
        if (here != null) {
          var unused = here.whenComplete((value, error) -> complete(answer, value, cause(error)));
        } else {
          askOwner(answer);
        }
      } catch (RuntimeException | Error e) {
        complete(answer, null, e);
      }
      return answer;
    }

    private void askOwner(CompletableFuture<T> answer) {
      ShardMap.Node owner = owners.apply(shard);
      asked = owner;
      if (owner == null || owner.url().isEmpty()) {
        throw new AskAgainException("has no owner just now");
      }
      CompletionStage<R> there = question.there(owner);
      if (question.mayRepeat()) {
        there = PeerCall.unlessMoved(there, () -> !owner.equals(owners.apply(shard)));
      }
      var unused =
          there.whenComplete(
              (raw, error) -> {
                Throwable failure = cause(error);
                if (failure != null) {
                  complete(answer, null, judged(owner, failure));
                  return;
                }
                T value;
                try {
                  value = question.read(raw);
                } catch (RuntimeException | Error e) {
                  complete(answer, null, e);
                  return;
                }
                complete(answer, value, null);
              });
    }

    private void complete(
        CompletableFuture<T> answer, @Nullable T value, @Nullable Throwable failure) {
      if (failure == null) {
        answer.complete(value);
      } else if (failure instanceof AskAgainException again && leftNanos() < 0) {
        answer.completeExceptionally(new ShardElsewhereException(shard, again.where()));
      } else {
        answer.completeExceptionally(failure);
      }
    }

    private RuntimeException judged(ShardMap.Node owner, Throwable error) {
      if (error instanceof PeerCall.MovedException) {
        return AskAgainException.onItsWay();
      }
      if (NotSentException.isCauseOf(error)) {
        return new AskAgainException(
            "is owned by " + owner.name() + ", which is not reached: " + error.getMessage());
      }
      return question.mayRepeat()
          ? new AskAgainException(notAnswering(owner) + ": " + message(error))
          : new ShardElsewhereException(
              shard,
              "is owned by "
                  + owner.name()
                  + ", which has not answered: the change may have been made, or not");
    }

    T await(Consumer<String> waits) throws InterruptedException {
      CompletableFuture<T> answer = attempt();
      try {
        try {
          return answer.get(SOON_NANOS, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          waits.accept(notAnswering(asked));
          return answer.get(Math.max(0, leftNanos()), TimeUnit.NANOSECONDS);
        }
      } catch (TimeoutException e) {
        throw new ShardElsewhereException(shard, notAnswering(asked));
      } catch (ExecutionException e) {
        if (e.getCause() instanceof AskAgainException again) {
          waits.accept(again.where());
          throw again;
        }
        if (e.getCause() instanceof Error error) {
          throw error;
        }
        throw e.getCause() instanceof RuntimeException failure
            ? failure
            : new IllegalStateException(e.getCause());
      }
    }
  }

  private static @Nullable Throwable cause(@Nullable Throwable error) {
    return error instanceof CompletionException && error.getCause() != null
        ? error.getCause()
        : error;
  }

  private static String message(Throwable error) {
    String message = error.getMessage();
    return message == null || message.isBlank() ? error.toString() : message;
  }

  private static String notAnswering(ShardMap.@Nullable Node owner) {
    return owner == null
        ? "is not answered for"
        : "is owned by " + owner.name() + ", which does not answer";
  }
}
