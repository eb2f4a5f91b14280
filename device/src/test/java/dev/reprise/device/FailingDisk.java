package dev.reprise.device;

import dev.reprise.device.message.Message;
import dev.reprise.device.queue.Admission;
import dev.reprise.device.queue.MessageQueue;
import dev.reprise.device.queue.QueuedMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A queue that says it is durable, and keeps the contract of one whose disk is full. */
final class FailingDisk implements MessageQueue {
  private final MessageQueue inMemory;
  private final List<Long> unsynced = new ArrayList<>();
  boolean isFull;

  /** Happens while the disk is written. */
  Runnable onSync = () -> {};

  FailingDisk(MessageQueue inMemory) {
    this.inMemory = inMemory;
  }

  @Override
  public Admission offer(Message message, long nowNanos) {
    Admission admission = inMemory.offer(message, nowNanos);
    if (admission instanceof Admission.Accepted accepted) {
      unsynced.add(accepted.sequence());
    }
    return admission;
  }

  @Override
  public void sync() throws IOException {
    onSync.run();
    List<Long> offered = List.copyOf(unsynced);
    unsynced.clear();
    if (isFull) {
      offered.forEach(inMemory::remove);
      throw new IOException("the disk is full");
    }
  }

  @Override
  public boolean isDurable() {
    return true;
  }

  @Override
  public @Nullable QueuedMessage poll(long maxBytes) throws IOException {
    return inMemory.poll(maxBytes);
  }

  @Override
  public Message read(long sequence) throws IOException {
    return inMemory.read(sequence);
  }

  @Override
  public void putBack(long sequence) {
    inMemory.putBack(sequence);
  }

  @Override
  public void remove(long sequence) {
    inMemory.remove(sequence);
  }

  @Override
  public List<QueuedMessage> expire(long nowNanos, int most) throws IOException {
    return inMemory.expire(nowNanos, most);
  }

  @Override
  public long nextExpiryNanos(long nowNanos) {
    return inMemory.nextExpiryNanos(nowNanos);
  }

  @Override
  public long remainingNanos(long sequence, long nowNanos) {
    return inMemory.remainingNanos(sequence, nowNanos);
  }

  @Override
  public int messages() {
    return inMemory.messages();
  }

  @Override
  public int waiting() {
    return inMemory.waiting();
  }

  @Override
  public long bytes() {
    return inMemory.bytes();
  }

  @Override
  public void close() {
    inMemory.close();
  }
}
