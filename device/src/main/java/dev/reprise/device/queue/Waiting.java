package dev.reprise.device.queue;

import dev.reprise.device.message.Priority;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Entries that wait, in the order of their sequences, and of each priority apart. */
final class Waiting<E extends Entry> {
  private final Map<Priority, NavigableMap<Long, E>> byPriority = new EnumMap<>(Priority.class);

  Waiting() {
    for (Priority priority : Priority.values()) {
      byPriority.put(priority, new TreeMap<>());
    }
  }

  private NavigableMap<Long, E> of(Priority priority) {
    return Objects.requireNonNull(byPriority.get(priority));
  }

  void add(E entry) {
    of(entry.priority()).put(entry.sequence(), entry);
  }

  @Nullable E first() {
    E first = null;
    for (Priority priority : byPriority.keySet()) {
      E ofPriority = first(priority);
      if (ofPriority != null && (first == null || ofPriority.sequence() < first.sequence())) {
        first = ofPriority;
      }
    }
    return first;
  }

  @Nullable E first(Priority priority) {
    Map.Entry<Long, E> first = of(priority).firstEntry();
    return first == null ? null : first.getValue();
  }

  @Nullable E get(long sequence) {
    for (NavigableMap<Long, E> entries : byPriority.values()) {
      E entry = entries.get(sequence);
      if (entry != null) {
        return entry;
      }
    }
    return null;
  }

  @Nullable E take(long sequence) {
    for (NavigableMap<Long, E> entries : byPriority.values()) {
      E taken = entries.remove(sequence);
      if (taken != null) {
        return taken;
      }
    }
    return null;
  }

  /** Returns all, oldest first. */
  List<E> all() {
    return expired(Entry.NEVER);
  }

  /** Returns those that have reached their expiry age, oldest first. */
  List<E> expired(long ageNanos) {
    List<E> expired = new ArrayList<>();
    for (NavigableMap<Long, E> entries : byPriority.values()) {
      for (E entry : entries.values()) {
        if (entry.expiryAgeNanos() <= ageNanos) {
          expired.add(entry);
        }
      }
    }
    expired.sort(Comparator.comparingLong(Entry::sequence));
    return expired;
  }

  long firstExpiryAgeNanos() {
    long first = Entry.NEVER;
    for (NavigableMap<Long, E> entries : byPriority.values()) {
      for (E entry : entries.values()) {
        first = Math.min(first, entry.expiryAgeNanos());
      }
    }
    return first;
  }
}
