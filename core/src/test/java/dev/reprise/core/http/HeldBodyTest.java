package dev.reprise.core.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.testkit.SeededRandom;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeldBodyTest {
  private final HeldBody body = new HeldBody();
  private final Source source = new Source();
  private final Reader reader = new Reader();

  @Test
  void aShortBodyIsReadToItsEndBeforeAnybodyAsks() {
    body.onSubscribe(source);
    assertThat(source.requested).isEqualTo(1);
    body.onNext(piece("a"));
    assertThat(source.requested).isEqualTo(2);
    assertThat(held()).isFalse();

    body.onComplete();
    assertThat(held()).isTrue();

    reader.wantsAtOnce = 1;
    body.readBy(reader);
    assertThat(reader.signals).containsExactly("a", "end");
  }

  @Test
  void anEmptyBodyEndsWithoutARequest() {
    body.onSubscribe(source);
    body.onComplete();

    body.readBy(reader);

    assertThat(reader.signals).containsExactly("end");
  }

  @Test
  void theRestOfALongBodyStaysWithTheServerUntilItIsWanted() {
    holdLongBody();
    assertThat(held()).isTrue();
    assertThat(source.requested).isEqualTo(1);

    body.readBy(reader);
    assertThat(source.requested).isEqualTo(1);
    assertThat(reader.signals).isEmpty();

    reader.subscription.request(1);
    assertThat(reader.signals).containsExactly(long64());
    assertThat(source.requested).isEqualTo(1);

    reader.subscription.request(2);
    assertThat(source.requested).isEqualTo(3);
    body.onNext(piece("rest"));
    body.onComplete();
    assertThat(reader.signals).containsExactly(long64(), "rest", "end");
  }

  @Test
  void whatIsWantedWhileTheHeldPartIsReadIsAskedForAfterwards() {
    holdLongBody();
    reader.wantsAtOnce = 1;
    reader.wantsAtEach = 2;

    body.readBy(reader);

    assertThat(reader.signals).containsExactly(long64());
    assertThat(source.requested).isEqualTo(1 + 2);
  }

  @Test
  void aReaderThatWantsEverythingGetsIt() {
    holdLongBody();
    reader.wantsAtOnce = Long.MAX_VALUE;
    reader.wantsAtEach = Long.MAX_VALUE;

    body.readBy(reader);

    assertThat(source.requested).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEndThatComesWhileABodyIsHeldIsToldAfterIt(boolean failed) {
    holdLongBody();
    if (failed) {
      body.onError(new IOException("reset"));
    } else {
      body.onComplete();
    }
    reader.wantsAtOnce = 1;

    body.readBy(reader);

    assertThat(reader.signals).containsExactly(long64(), failed ? "reset" : "end");
  }

  @Test
  void aBodyThatBreaksOffFailsTheAttempt() {
    body.onSubscribe(source);
    body.onNext(piece("a"));
    body.onError(new IOException("reset"));

    assertThat(body.getBody().toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void aReaderThatCancelsHearsNoMore() {
    holdLongBody();
    body.onComplete();
    reader.cancelsAtFirst = true;
    reader.wantsAtOnce = 5;

    body.readBy(reader);

    assertThat(source.cancelled).isTrue();
    assertThat(reader.signals).containsExactly(long64());
  }

  @Test
  void aBodyThatIsCancelledBeforeItComesIsNotRead() {
    body.cancel();
    body.onSubscribe(source);

    assertThat(source.cancelled).isTrue();
    assertThat(source.requested).isZero();
  }

  @Test
  void aRequestForNothingIsAnError() {
    holdLongBody();
    body.readBy(reader);

    reader.subscription.request(0);

    assertThat(source.cancelled).isTrue();
    assertThat(reader.signals).containsExactly("count is 0: must be >= 1");
  }

  @Test
  void everyByteComesOnceAndInOrderWhateverThePieces() {
    SeededRandom.check(
        random -> {
          for (int round = 0; round < 200; round++) {
            HeldBody held = new HeldBody();
            Source pieces = new Source();
            Reader collecting = new Reader();
            collecting.wantsAtOnce = 1L + random.nextInt(3);
            collecting.wantsAtEach = 1L + random.nextInt(2);
            int left = random.nextInt(8);
            StringBuilder sent = new StringBuilder();
            int readAfter = random.nextInt(9);
            held.onSubscribe(pieces);
            boolean ended = false;
            for (int step = 0; !ended || !collecting.isOver(); step++) {
              boolean isHeld = held.getBody().toCompletableFuture().isDone();
              if (collecting.subscription == null && isHeld && (ended || step >= readAfter)) {
                held.readBy(collecting);
              } else if (left > 0 && pieces.requested > pieces.given) {
                String text =
                    Character.toString((char) ('a' + left)).repeat(random.nextInt(40_000));
                sent.append(text);
                left--;
                pieces.given++;
                held.onNext(piece(text));
              } else if (left == 0 && !ended) {
                ended = true;
                held.onComplete();
              }
              assertThat(step).as("steps until the end").isLessThan(100);
            }
            assertThat(String.join("", collecting.signals)).isEqualTo(sent + "end");
          }
        });
  }

  private void holdLongBody() {
    body.onSubscribe(source);
    body.onNext(piece(long64()));
  }

  private boolean held() {
    return body.getBody().toCompletableFuture().isDone();
  }

  private static String long64() {
    return "x".repeat(HeldBody.LIMIT_BYTES);
  }

  private static List<ByteBuffer> piece(String text) {
    return List.of(ByteBuffer.wrap(text.getBytes(UTF_8)));
  }

  private static final class Source implements Flow.Subscription {
    private long requested;
    private long given;
    private boolean cancelled;

    @Override
    public void request(long count) {
      requested = count > Long.MAX_VALUE - requested ? Long.MAX_VALUE : requested + count;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  private static final class Reader implements Flow.Subscriber<List<ByteBuffer>> {
    private final List<String> signals = new ArrayList<>();
    private Flow.Subscription subscription;
    private long wantsAtOnce;
    private long wantsAtEach;
    private boolean cancelsAtFirst;

    boolean isOver() {
      return signals.contains("end");
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      this.subscription = subscription;
      if (wantsAtOnce > 0) {
        subscription.request(wantsAtOnce);
      }
    }

    @Override
    public void onNext(List<ByteBuffer> piece) {
      StringBuilder text = new StringBuilder();
      piece.forEach(buffer -> text.append(UTF_8.decode(buffer)));
      signals.add(text.toString());
      if (cancelsAtFirst) {
        subscription.cancel();
      } else if (wantsAtEach > 0) {
        subscription.request(wantsAtEach);
      }
    }

    @Override
    public void onError(Throwable failure) {
      signals.add(failure.getMessage());
    }

    @Override
    public void onComplete() {
      signals.add("end");
    }
  }
}
