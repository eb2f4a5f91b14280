package dev.reprise.device.queue;

import dev.reprise.device.message.Priority;

/** A number for each priority. */
final class PriorityCounts {
  private long low;
  private long normal;
  private long high;

  void add(Priority priority, long amount) {
    switch (priority) {
      case LOW -> low += amount;
      case NORMAL -> normal += amount;
      case HIGH -> high += amount;
    }
  }

  void addAll(PriorityCounts other) {
    low += other.low;
    normal += other.normal;
    high += other.high;
  }

  void clear() {
    low = 0;
    normal = 0;
    high = 0;
  }

  long of(Priority priority) {
    return switch (priority) {
      case LOW -> low;
      case NORMAL -> normal;
      case HIGH -> high;
    };
  }

  long total() {
    return low + normal + high;
  }

  /** Returns the sum over this priority and all below. */
  long upTo(Priority priority) {
    return switch (priority) {
      case LOW -> low;
      case NORMAL -> low + normal;
      case HIGH -> total();
    };
  }
}
