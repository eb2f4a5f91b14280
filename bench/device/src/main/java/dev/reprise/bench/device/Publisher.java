package dev.reprise.bench.device;

import java.util.concurrent.CompletionStage;

/** One connection to a broker that messages are sent on. Used by one thread. */
interface Publisher extends AutoCloseable {
  /** Sends a message; the stage completes when the broker has acknowledged it. */
  CompletionStage<?> send(byte[] body);

  @Override
  void close();
}
