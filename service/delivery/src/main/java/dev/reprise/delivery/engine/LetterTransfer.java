package dev.reprise.delivery.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.DeliveryReader.Letter;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.body.MessageBodies;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.shard.ShardInput;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Hands dead letters that one subscription has in one shard over to another: the other accepts each
 * first, and only what is durable there is taken out here. A crash in between leaves a letter here,
 * and its repetition has the same id, which the other knows for a day.
 */
final class LetterTransfer {
  private final DeliveryEngine engine;
  private final Subscription from;
  private final int shard;
  private final Subscription target;

  LetterTransfer(DeliveryEngine engine, Subscription from, int shard, Subscription target) {
    this.engine = engine;
    this.from = from;
    this.shard = shard;
    this.target = target;
  }

  /** Hands over a part; completes when that is durable on both sides. */
  CompletionStage<SweepProgress> run(SweepRequest request) {
    DeliveryReader.Letters letters =
        engine
            .reader(shard)
            .letters(from.number(), request.bounded(), request.from(), request.limit());
    List<Letter> sent = new ArrayList<>();
    List<CompletableFuture<PublishReceipt>> answers = new ArrayList<>();
    for (Letter letter : letters.items()) {
      if (canCarry(letter)) {
        sent.add(letter);
        answers.add(engine.publishTo(target, idOf(letter), letter.payload()).toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenCompose(
            done -> {
              List<Position> accepted = new ArrayList<>();
              for (int i = 0; i < sent.size(); i++) {
                if (answers.get(i).join().deliveries() > 0) {
                  accepted.add(sent.get(i).position());
                }
              }
              return takeOut(accepted);
            })
        .thenApply(moved -> new SweepProgress(moved, letters.next(), letters.seen()));
  }

  /** A letter that the target's protocol cannot carry stays where it is. */
  private boolean canCarry(Letter letter) {
    return MessageBodies.problem(
            PayloadRecord.decode(letter.payload()), target.settings().protocol())
        == null;
  }

  private CompletionStage<Integer> takeOut(List<Position> accepted) {
    if (accepted.isEmpty()) {
      return CompletableFuture.completedFuture(0);
    }
    PendingReply<Integer> reply = new PendingReply<>();
    engine.submit(shard, new ShardInput.Moved(from.number(), accepted, reply));
    return reply.future;
  }

  /** The same for each repetition: of both subscriptions, the message and when it died. */
  private MessageId idOf(Letter letter) {
    Position position = letter.position();
    ByteBuffer seed =
        ByteBuffer.wrap(sha256(from.number() + " " + target.number() + " " + position));
    return MessageId.create(position.atMillis(), new SplittableRandom(seed.getLong()));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
