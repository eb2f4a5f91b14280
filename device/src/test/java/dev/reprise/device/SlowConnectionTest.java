package dev.reprise.device;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.transport.SendCallback;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A link that is slow is not one that is dead, in virtual time. */
class SlowConnectionTest extends ScriptedDevice {
  private SendCallback message(int index) {
    return transport.last().sent.get(index).callback();
  }

  private void moves(Duration time, Duration every) {
    for (Duration gone = Duration.ZERO; gone.compareTo(time) < 0; gone = gone.plus(every)) {
      transport.last().moved = true;
      time(every);
    }
  }

  private void time(Duration passed) {
    time.advance(passed);
  }

  private boolean isLost() {
    return transport.links.get(0).closed;
  }

  @Test
  void whileItsBytesMoveAMessageIsNotLate() throws Exception {
    DeviceClient client = connected();
    CompletableFuture<MessageOutcome> stage = send(client, "large").get(0);
    moves(ofMinutes(20), ofSeconds(10));
    message(0).onLeft();
    time(ofSeconds(59));
    assertThat(isLost()).isFalse();
    message(0).onAcknowledged();
    settle();
    assertThat(outcome(stage)).isEqualTo(new MessageOutcome("large", Kind.ACKNOWLEDGED, 1, null));
  }

  @Test
  void aLinkThatDiesWithMuchToSendIsNoticedAsSoonAsBefore() throws Exception {
    DeviceClient client = connected();
    send(client, "large", "behind");
    moves(ofMinutes(20), ofSeconds(10));
    // The time for an acknowledgement, and a quarter to notice.
    time(ofSeconds(59));
    assertThat(isLost()).isFalse();
    time(ofSeconds(16));
    assertThat(isLost()).isTrue();
  }

  @Test
  void soIsOneThatDiesJustWhenTheOldestHasLeft() throws Exception {
    DeviceClient client = connected();
    send(client, "large", "behind");
    moves(ofMinutes(20), ofSeconds(10));
    message(0).onLeft();
    time(ofSeconds(59));
    assertThat(isLost()).isFalse();
    time(ofSeconds(16));
    assertThat(isLost()).isTrue();
  }

  @Test
  void aHubThatAnswersIsNotDeadWhileNothingMoves() throws Exception {
    DeviceClient client = connected();
    send(client, "a", "b", "behind");
    message(0).onLeft();
    message(1).onLeft();
    time(ofSeconds(50));
    message(0).onAcknowledged();
    time(ofSeconds(50));
    assertThat(isLost()).isFalse();
    time(ofSeconds(25));
    assertThat(isLost()).isTrue();
  }

  @Test
  void theTimeForTheAcknowledgementBeginsWhenItHasLeft() throws Exception {
    DeviceClient client = connected();
    send(client, "a");
    moves(ofSeconds(30), ofSeconds(10));
    message(0).onLeft();
    // As long again as it waited, for the link below, and the time for the acknowledgement.
    time(ofSeconds(89));
    assertThat(isLost()).isFalse();
    time(ofSeconds(2));
    assertThat(isLost()).isTrue();
  }

  @Test
  void aMessageThatLeftAtOnceIsAnsweredWithinTheTime() throws Exception {
    DeviceClient client = connected();
    send(client, "a");
    message(0).onLeft();
    time(ofMillis(59_999));
    assertThat(isLost()).isFalse();
    time(ofMillis(1));
    assertThat(isLost()).isTrue();
  }

  @Test
  void laterMessagesThatMoveDoNotExcuseASilentHub() throws Exception {
    DeviceClient client = connected();
    send(client, "a");
    message(0).onLeft();
    for (int i = 1; i <= 7; i++) {
      time(ofSeconds(10));
      if (!isLost()) {
        send(client, "later-" + i);
        transport.last().moved = true;
        message(i).onLeft();
      }
    }
    assertThat(isLost()).isTrue();
  }

  @Test
  void aFullWindowThatDrainsSlowlyIsNotSilent() throws Exception {
    DeviceClient client = connected();
    send(client, "a", "b", "c");
    // They leave one after the other, and the hub answers none before it has them all.
    for (int i = 0; i < 3; i++) {
      moves(ofSeconds(50), ofSeconds(10));
      message(i).onLeft();
    }
    time(ofSeconds(55));
    assertThat(isLost()).isFalse();
    transport.last().acknowledgeAll();
    settle();
    assertThat(outcomes).hasSize(3);
  }

  @Test
  void aMessageThatIsPassedOverIsNotWaitedForMuchLonger() throws Exception {
    DeviceClient client = connected();
    send(client, "skipped", "b");
    message(0).onLeft();
    message(1).onLeft();
    time(ofSeconds(30));
    message(1).onAcknowledged();
    settle();
    for (int i = 0; i < 5; i++) {
      time(ofSeconds(10));
      send(client, "later-" + i);
      message(2 + i).onLeft();
      message(2 + i).onAcknowledged();
      settle();
    }
    assertThat(isLost()).isFalse();
    time(ofSeconds(10));
    assertThat(isLost()).isTrue();
  }

  @Test
  void theOperationTimeoutDoesNotRunWhileItsBytesMove() throws Exception {
    DeviceClient client = connected();
    CompletableFuture<MessageOutcome> stage = send(client, "large").get(0);
    moves(ofMinutes(30), ofSeconds(10));
    transport.last().lose(lost);
    settle();
    time(ofSeconds(1));
    transport.last().ready();
    settle();
    assertThat(stage).isNotDone();
    moves(ofMinutes(30), ofSeconds(10));
    message(0).onLeft();
    message(0).onAcknowledged();
    settle();
    assertThat(outcome(stage)).isEqualTo(new MessageOutcome("large", Kind.ACKNOWLEDGED, 2, null));
  }

  @Test
  void aMessageThatStandsInABufferStillExpires() throws Exception {
    DeviceClient client = connected();
    CompletableFuture<MessageOutcome> stage = send(client, "stuck").get(0);
    // Nothing of it ever moves: each connection is given up after the time for the answer.
    for (int i = 0; i < 60 && !stage.isDone(); i++) {
      time(ofSeconds(10));
      if (!transport.last().closed) {
        transport.last().ready();
        settle();
      }
    }
    assertThat(outcome(stage).kind()).isEqualTo(Kind.EXPIRED);
  }
}
