package dev.reprise.device.queue;

import dev.reprise.device.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** What a queue should do, as plainly as it can be said: one list, searched from end to end. */
final class ModelQueue {
  /** One message; times are nanoseconds since the start of the test. */
  static final class Item {
    long sequence;
    final Message message;
    final long expiresNanos;
    boolean inFlight;

    Item(Message message, long expiresNanos) {
      this.message = message;
      this.expiresNanos = expiresNanos;
    }
  }

  private final QueueSettings settings;
  private List<Item> items = new ArrayList<>();
  private List<Item> synced = new ArrayList<>();

  ModelQueue(QueueSettings settings) {
    this.settings = settings;
  }

  /** Returns what has to give way, or null when the message is refused. */
  List<Item> offer(Message message, long elapsedNanos) {
    List<Item> candidates = new ArrayList<>(waiting());
    if (settings.dropPolicy() == DropPolicy.REJECT_NEW) {
      candidates.clear();
    }
    if (settings.dropPolicy() == DropPolicy.DROP_LOWEST_PRIORITY) {
      candidates.removeIf(item -> item.message.priority().compareTo(message.priority()) > 0);
      candidates.sort(
          Comparator.comparing((Item item) -> item.message.priority())
              .thenComparingLong(item -> item.sequence));
    }
    List<Item> dropped = new ArrayList<>();
    while (messages() - dropped.size() >= settings.maxMessages()
        || bytes() - bytes(dropped) + message.sizeBytes() > settings.maxBytes()) {
      if (candidates.isEmpty()) {
        return null;
      }
      dropped.add(candidates.remove(0));
    }
    items.removeAll(dropped);
    dropped.sort(Comparator.comparingLong(item -> item.sequence));
    Duration timeToLive =
        message.timeToLive() == null ? settings.timeToLive() : message.timeToLive();
    long expires = timeToLive == null ? Long.MAX_VALUE : elapsedNanos + timeToLive.toNanos();
    items.add(new Item(message, expires));
    return dropped;
  }

  /** Tells the place of the message that was offered last. */
  void lastHas(long sequence) {
    items.get(items.size() - 1).sequence = sequence;
  }

  Item poll() {
    List<Item> waiting = waiting();
    if (waiting.isEmpty()) {
      return null;
    }
    waiting.get(0).inFlight = true;
    return waiting.get(0);
  }

  void remove(long sequence) {
    items.removeIf(item -> item.sequence == sequence);
  }

  void sync() {
    synced = new ArrayList<>(items);
  }

  /** The process dies: what was not synced never happened. */
  void crash() {
    items = new ArrayList<>(synced);
    items.sort(Comparator.comparingLong(item -> item.sequence));
    items.forEach(item -> item.inFlight = false);
  }

  /** A sync fails: what was offered since the last one is not there any more. */
  void rollBack() {
    items.removeIf(item -> !synced.contains(item));
  }

  List<Item> items() {
    return items;
  }

  List<Item> waiting() {
    return items.stream().filter(item -> !item.inFlight).toList();
  }

  List<Item> inFlight() {
    return items.stream().filter(item -> item.inFlight).toList();
  }

  List<Item> expired(long elapsedNanos) {
    return waiting().stream().filter(item -> item.expiresNanos <= elapsedNanos).toList();
  }

  int messages() {
    return items.size();
  }

  long bytes() {
    return bytes(items);
  }

  private static long bytes(List<Item> items) {
    return items.stream().mapToLong(item -> item.message.sizeBytes()).sum();
  }

  /** Says what two messages have in common that a queue must keep. */
  static String content(Message message) {
    return "%s %s %s %s %s %s"
        .formatted(
            message.id(),
            Arrays.toString(message.body()),
            message.contentType(),
            List.copyOf(message.properties().entrySet()),
            message.priority(),
            message.timeToLive());
  }
}
