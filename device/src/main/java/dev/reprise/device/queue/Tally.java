package dev.reprise.device.queue;

import dev.reprise.device.message.Priority;

/** The amount that a queue holds. Messages in flight count, but only waiting ones can give way. */
final class Tally {
  private final PriorityCounts waiting = new PriorityCounts();
  private final PriorityCounts waitingBytes = new PriorityCounts();
  private int messages;
  private long bytes;

  /** Counts one more that waits. */
  void added(Priority priority, int sizeBytes) {
    messages++;
    bytes += sizeBytes;
    waits(priority, sizeBytes, 1);
  }

  /** One that waited does not any more; it is still there. */
  void taken(Entry entry) {
    waits(entry.priority(), entry.sizeBytes(), -1);
  }

  /** One that was taken waits again. */
  void putBack(Entry entry) {
    waits(entry.priority(), entry.sizeBytes(), 1);
  }

  /** One that was taken is gone. */
  void removed(Entry entry) {
    messages--;
    bytes -= entry.sizeBytes();
  }

  /** Counts so many more, or less, that wait. */
  void recounted(Priority priority, int messages, long bytes) {
    this.messages += messages;
    this.bytes += bytes;
    waiting.add(priority, messages);
    waitingBytes.add(priority, bytes);
  }

  private void waits(Priority priority, int sizeBytes, int sign) {
    waiting.add(priority, sign);
    waitingBytes.add(priority, (long) sign * sizeBytes);
  }

  int messages() {
    return messages;
  }

  long bytes() {
    return bytes;
  }

  int waiting() {
    return (int) waiting.total();
  }

  int waitingUpTo(Priority priority) {
    return (int) waiting.upTo(priority);
  }

  long waitingBytesUpTo(Priority priority) {
    return waitingBytes.upTo(priority);
  }
}
