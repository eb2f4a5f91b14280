package dev.reprise.device.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryQueueTest {
  private static final long SECOND = 1_000_000_000L;

  /** So that every sum of times wraps sooner or later. */
  private final long start = Math.subtractExact(Long.MAX_VALUE, SECOND);

  private static MessageQueue open(QueueSettings settings) throws IOException {
    return MessageQueues.open(settings);
  }

  private static Message message(String id) {
    return Message.builder().id(id).build();
  }

  private static Message message(String id, Priority priority) {
    return Message.builder().id(id).priority(priority).build();
  }

  private static Message lasting(String id, Duration timeToLive) {
    return Message.builder().id(id).timeToLive(timeToLive).build();
  }

  private static List<String> ids(List<QueuedMessage> messages) {
    return messages.stream().map(queued -> queued.message().id()).toList();
  }

  private long offer(MessageQueue queue, Message message) {
    return ((Admission.Accepted) queue.offer(message, start)).sequence();
  }

  private List<String> dropped(MessageQueue queue, Message message) {
    return ids(((Admission.Accepted) queue.offer(message, start)).dropped());
  }

  private String refused(MessageQueue queue, Message message) {
    return ((Admission.Refused) queue.offer(message, start)).reason();
  }

  private static String next(MessageQueue queue) throws IOException {
    QueuedMessage polled = queue.poll();
    return polled == null ? "none" : polled.message().id();
  }

  @Test
  void handsOutMessagesInTheOrderOfTheirAcceptance() throws IOException {
    MessageQueue queue = open(QueueSettings.defaults());
    offer(queue, message("a", Priority.LOW));
    offer(queue, message("b", Priority.HIGH));
    offer(queue, message("c", Priority.NORMAL));

    assertThat(List.of(next(queue), next(queue), next(queue), next(queue)))
        .containsExactly("a", "b", "c", "none");
    assertThat(queue.messages()).isEqualTo(3);
    assertThat(queue.waiting()).isZero();
  }

  @Test
  void whatIsPutBackWaitsInItsOldPlace() throws IOException {
    MessageQueue queue = open(QueueSettings.defaults());
    long a = offer(queue, message("a"));
    long b = offer(queue, message("b"));
    offer(queue, message("c"));
    queue.poll();
    queue.poll();

    queue.putBack(b);
    queue.putBack(a);
    queue.putBack(a);

    assertThat(queue.waiting()).isEqualTo(3);
    assertThat(List.of(next(queue), next(queue), next(queue))).containsExactly("a", "b", "c");
  }

  @Test
  void removesWaitingAndInFlightAndIgnoresUnknownMessages() throws IOException {
    MessageQueue queue = open(QueueSettings.defaults());
    long a = offer(queue, message("a"));
    long b = offer(queue, message("b"));
    queue.poll();

    queue.remove(a);
    queue.remove(a);
    queue.remove(b);
    queue.remove(99);
    queue.putBack(a);

    assertThat(queue.messages()).isZero();
    assertThat(queue.bytes()).isZero();
    assertThat(queue.poll()).isNull();
  }

  @Test
  void refusesAMessageThatIsTooBigForAnEmptyQueueEvenIfItMayDrop() throws IOException {
    MessageQueue queue =
        open(QueueSettings.defaults().withBounds(10, 100).withDropPolicy(DropPolicy.DROP_OLDEST));
    offer(queue, message("a"));

    assertThat(refused(queue, Message.builder().id("b").body(new byte[36]).build()))
        .isEqualTo("sizeBytes is 101: must be <= maxBytes, 100");
    assertThat(queue.messages()).isEqualTo(1);
  }

  @Test
  void refusesOneMoreAndNamesTheBound() throws IOException {
    MessageQueue few = open(QueueSettings.defaults().withBounds(1, 1_000));
    offer(few, message("a"));
    assertThat(refused(few, message("b")))
        .isEqualTo("messages is 1: must be < maxMessages, 1; REJECT_NEW may drop 0 that wait");

    MessageQueue small = open(QueueSettings.defaults().withBounds(10, 100));
    offer(small, message("a"));
    assertThat(refused(small, message("b")))
        .isEqualTo(
            "bytes is 65 and sizeBytes 65: together must be <= maxBytes, 100; REJECT_NEW may drop"
                + " 0 that wait");
  }

  @Test
  void dropsAsManyOfTheOldestAsItTakesButNoneInFlight() throws IOException {
    MessageQueue queue =
        open(
            QueueSettings.defaults().withBounds(10, 4 * 65).withDropPolicy(DropPolicy.DROP_OLDEST));
    for (String id : List.of("a", "b", "c", "d")) {
      offer(queue, message(id));
    }
    queue.poll();

    assertThat(dropped(queue, Message.builder().id("e").body(new byte[1]).build()))
        .containsExactly("b", "c");
    assertThat(List.of(next(queue), next(queue), next(queue))).containsExactly("d", "e", "none");
  }

  @Test
  void dropsNothingWhenAllThatMayBeDroppedIsNotEnough() throws IOException {
    MessageQueue queue =
        open(
            QueueSettings.defaults().withBounds(10, 2 * 65).withDropPolicy(DropPolicy.DROP_OLDEST));
    offer(queue, message("a"));
    offer(queue, message("b"));
    queue.poll();

    assertThat(refused(queue, Message.builder().id("c").body(new byte[1]).build()))
        .contains("DROP_OLDEST may drop 1 that wait");
    assertThat(queue.waiting()).isEqualTo(1);
  }

  @Test
  void dropsTheOldestOfTheLeastPriority() throws IOException {
    MessageQueue queue =
        open(
            QueueSettings.defaults()
                .withBounds(4, 10_000)
                .withDropPolicy(DropPolicy.DROP_LOWEST_PRIORITY));
    offer(queue, message("normal", Priority.NORMAL));
    offer(queue, message("low 1", Priority.LOW));
    offer(queue, message("high", Priority.HIGH));
    offer(queue, message("low 2", Priority.LOW));

    assertThat(dropped(queue, message("low 3", Priority.LOW))).containsExactly("low 1");
    assertThat(dropped(queue, message("high 2", Priority.HIGH))).containsExactly("low 2");
    assertThat(dropped(queue, message("normal 2", Priority.NORMAL))).containsExactly("low 3");
    assertThat(dropped(queue, message("normal 3", Priority.NORMAL))).containsExactly("normal");
    assertThat(refused(queue, message("low 4", Priority.LOW)))
        .contains("DROP_LOWEST_PRIORITY may drop 0 that wait");
  }

  @Test
  void tellsOfTheDroppedOldestFirst() throws IOException {
    MessageQueue queue =
        open(
            QueueSettings.defaults()
                .withBounds(10, 2 * 65)
                .withDropPolicy(DropPolicy.DROP_LOWEST_PRIORITY));
    offer(queue, message("n", Priority.NORMAL));
    offer(queue, message("l", Priority.LOW));

    Message big = Message.builder().id("h").body(new byte[65]).priority(Priority.HIGH).build();
    assertThat(dropped(queue, big)).containsExactly("n", "l");
  }

  @Test
  void aMessageExpiresAfterItsOwnTimeOrElseThatOfTheQueue() throws IOException {
    MessageQueue queue = open(QueueSettings.defaults().withTimeToLive(Duration.ofSeconds(3)));
    offer(queue, message("default"));
    offer(queue, lasting("short", Duration.ofSeconds(1)));
    offer(queue, lasting("eternal", Duration.ofDays(200_000)));

    assertThat(queue.nextExpiryNanos(start) - start).isEqualTo(SECOND);
    assertThat(queue.expire(start + SECOND - 1, 10)).isEmpty();
    assertThat(ids(queue.expire(start + SECOND, 10))).containsExactly("short");
    assertThat(queue.nextExpiryNanos(start + SECOND) - start).isEqualTo(3 * SECOND);
    assertThat(ids(queue.expire(start + 3 * SECOND, 10))).containsExactly("default");
    assertThat(queue.nextExpiryNanos(start + 3 * SECOND)).isEqualTo(Long.MAX_VALUE);
    assertThat(queue.messages()).isEqualTo(1);
  }

  @Test
  void whatIsInFlightExpiresOnlyAfterItIsPutBack() throws IOException {
    MessageQueue queue = open(QueueSettings.defaults());
    long sequence = offer(queue, lasting("a", Duration.ofSeconds(1)));
    queue.poll();

    assertThat(queue.expire(start + 5 * SECOND, 10)).isEmpty();
    assertThat(queue.nextExpiryNanos(start + 5 * SECOND)).isEqualTo(Long.MAX_VALUE);
    queue.putBack(sequence);
    assertThat(queue.nextExpiryNanos(start + 5 * SECOND)).isEqualTo(start + 5 * SECOND);
    assertThat(ids(queue.expire(start + 5 * SECOND, 10))).containsExactly("a");
  }

  @Test
  void returnsNoMoreExpiredOnesThanAskedForAndKeepsTheRest() throws IOException {
    MessageQueue queue = open(QueueSettings.defaults().withTimeToLive(Duration.ofSeconds(1)));
    for (String id : List.of("a", "b", "c")) {
      offer(queue, message(id));
    }

    assertThat(ids(queue.expire(start + SECOND, 2))).containsExactly("a", "b");
    assertThat(queue.nextExpiryNanos(start + SECOND)).isEqualTo(start + SECOND);
    assertThat(ids(queue.expire(start + SECOND, 2))).containsExactly("c");
    assertThatThrownBy(() -> queue.expire(start, 0)).hasMessage("most is 0: must be >= 1");
  }

  @Test
  void isNotDurableAndASyncChangesNothing() throws IOException {
    MessageQueue queue = open(QueueSettings.defaults());
    offer(queue, message("a"));
    queue.sync();

    assertThat(queue.isDurable()).isFalse();
    assertThat(queue.messages()).isEqualTo(1);
  }
}
