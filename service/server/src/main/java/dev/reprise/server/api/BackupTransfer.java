package dev.reprise.server.api;

import dev.reprise.common.text.AmountText;
import dev.reprise.delivery.backup.BackupStream;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.server.http.ClientConnection;
import dev.reprise.server.http.EventLoopQueue;
import dev.reprise.server.http.Transfer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a backup from a thread of its own, as fast as the client takes it and no faster: a few
 * parts are on their way at a time. However it ends, the space of the backup is given free.
 */
final class BackupTransfer implements Transfer {
  private static final Logger LOG = LoggerFactory.getLogger(BackupTransfer.class);
  private static final int PART_BYTES = 128 << 10;
  private static final int MAX_PARTS = 8;

  private final BackupStream backup;
  private final RocksStore store;
  private final BooleanSupplier stopping;
  private final Semaphore room = new Semaphore(MAX_PARTS);
  private final Promise<Void> ended = Promise.promise();
  private volatile boolean gone;

  /** Why a backup is not sent to its end. */
  private static final class BrokenOff extends Exception {
    private static final long serialVersionUID = 1L;

    BrokenOff(String message) {
      super(message);
    }
  }

  /** A transfer that ends as well when the service stops, or the disk becomes full. */
  BackupTransfer(BackupStream backup, RocksStore store, BooleanSupplier stopping) {
    this.backup = backup;
    this.store = store;
    this.stopping = stopping;
  }

  @Override
  public Future<Void> begin(HttpServerResponse response, EventLoopQueue queue) {
    response.putHeader("Content-Length", String.valueOf(backup.size()));
    response.closeHandler(ignored -> gone = true);
    response.exceptionHandler(ignored -> gone = true);
    Thread thread = new Thread(() -> run(response, queue), "reprise-backup");
    thread.setDaemon(true);
    thread.start();
    return ended.future();
  }

  @Override
  public void drop() {
    close();
  }

  private void run(HttpServerResponse response, EventLoopQueue queue) {
    long began = System.nanoTime();
    LOG.info("a backup of {} bytes is being sent", backup.size());
    try {
      send(response, queue);
      LOG.info("the backup was sent in {}", took(began));
    } catch (BrokenOff e) {
      LOG.warn("the backup was broken off after {}: {}", took(began), e.getMessage());
      queue.run(() -> reset(response));
    } catch (IOException | RuntimeException | Error e) {
      LOG.error("the backup was broken off after {}", took(began), e);
      queue.run(() -> reset(response));
    } finally {
      close();
      ended.complete();
    }
  }

  /** The client sees that the connection has ended too early. */
  private static void reset(HttpServerResponse response) {
    response.reset();
  }

  private static String took(long beganNanos) {
    return AmountText.rough(Duration.ofNanos(System.nanoTime() - beganNanos));
  }

  private void send(HttpServerResponse response, EventLoopQueue queue)
      throws IOException, BrokenOff {
    byte[] part = new byte[PART_BYTES];
    long left = backup.size();
    while (left > 0) {
      int count = backup.read(part, 0, PART_BYTES);
      if (count < 0) {
        throw new IOException("the backup is " + left + " bytes shorter than was announced");
      }
      left -= count;
      Buffer bytes = Buffer.buffer(count).appendBytes(part, 0, count);
      int parts = left > 0 ? 1 : MAX_PARTS;
      awaitRoom(parts);
      if (left == 0) {
        // Only now, as the client has taken all but this part; and not later, as a client
        // that has the last byte may ask for the next backup.
        close();
      }
      queue.run(
          () -> {
            Future<Void> unused = response.write(bytes).onComplete(written -> room.release(parts));
          });
    }
    awaitRoom(MAX_PARTS);
    queue.run(
        () -> {
          if (!response.ended()) {
            Future<Void> unused = response.end();
          }
        });
  }

  /** Waits until the client has taken so many parts. */
  private void awaitRoom(int parts) throws BrokenOff {
    for (int seconds = 0; seconds < ClientConnection.UNREAD_SECONDS; seconds++) {
      if (gone) {
        throw new BrokenOff("the client has gone");
      }
      if (stopping.getAsBoolean()) {
        throw new BrokenOff("the service is stopping");
      }
      if (store.diskIsShort()) {
        throw new BrokenOff("the disk is nearly full, and the backup keeps what could be deleted");
      }
      try {
        if (room.tryAcquire(parts, 1, TimeUnit.SECONDS)) {
          return;
        }
      } catch (InterruptedException e) {
        throw new BrokenOff("its thread was interrupted");
      }
    }
    throw new BrokenOff("the client has not read for " + ClientConnection.UNREAD_SECONDS + " s");
  }

  private void close() {
    try {
      backup.close();
    } catch (IOException | RuntimeException e) {
      LOG.warn("the space of a backup was not given free; the next start does it", e);
    }
  }
}
