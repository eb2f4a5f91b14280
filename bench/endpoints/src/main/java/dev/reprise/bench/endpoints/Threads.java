package dev.reprise.bench.endpoints;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that share a count of messages: how a library that blocks keeps several under way. */
final class Threads implements AutoCloseable {
  private final ExecutorService executor;
  private final int number;

  Threads(int number) {
    this.number = number;
    this.executor = Executors.newFixedThreadPool(number);
  }

  /** Sends one message, on the thread of this number. */
  interface Sending {
    void send(int thread) throws Exception;
  }

  void share(int messages, Sending sending) throws Exception {
    AtomicInteger left = new AtomicInteger(messages);
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      int thread = i;
      all.add(
          executor.submit(
              () -> {
                while (left.getAndDecrement() > 0) {
                  sending.send(thread);
                }
                return null;
              }));
    }
    for (Future<?> each : all) {
      each.get();
    }
  }

  @Override
  public void close() {
    executor.shutdown();
  }
}
