package dev.reprise.delivery.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.shard.ShardInput;
import java.util.List;
import org.junit.jupiter.api.Test;

class MailboxTest {
  /** Nothing here is meant to wait; a wait that is one after all ends by failing. */
  private static final long LONG_MILLIS = 600_000;

  private final Mailbox mailbox = new Mailbox();

  private static ShardInput input(long number) {
    return new ShardInput.Remove(number);
  }

  @Test
  void whatHasGatheredIsTakenOnce() throws InterruptedException {
    mailbox.put(input(1));
    mailbox.put(input(2));

    assertThat(mailbox.take(LONG_MILLIS)).containsExactly(input(1), input(2));
    assertThat(mailbox.take(0)).isEmpty();
  }

  @Test
  void whatComesNextIsAddedToWhatWasTaken() throws InterruptedException {
    mailbox.put(input(1));
    List<ShardInput> taken = mailbox.take(LONG_MILLIS);
    mailbox.put(input(2));
    mailbox.put(input(3));

    assertThat(mailbox.takeMore(LONG_MILLIS)).isTrue();
    assertThat(taken).containsExactly(input(1), input(2), input(3));
    assertThat(mailbox.takeMore(0)).isFalse();
    assertThat(mailbox.take(0)).isEmpty();
  }

  @Test
  void aWakeUpEndsTheWaitForMore() throws InterruptedException {
    mailbox.put(input(1));
    List<ShardInput> taken = mailbox.take(LONG_MILLIS);
    mailbox.wake();

    assertThat(mailbox.takeMore(LONG_MILLIS)).isFalse();
    assertThat(taken).containsExactly(input(1));
  }

  @Test
  void whatIsTakenLaterDoesNotShowInWhatWasTakenBefore() throws InterruptedException {
    mailbox.put(input(1));
    mailbox.take(LONG_MILLIS);
    mailbox.put(input(2));
    mailbox.takeMore(LONG_MILLIS);
    mailbox.put(input(3));

    assertThat(mailbox.take(LONG_MILLIS)).containsExactly(input(3));
  }
}
