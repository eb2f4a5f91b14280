package dev.reprise.endpoints.sms;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jsmpp.PDUStringException;
import org.jspecify.annotations.Nullable;

/** A request whose answer a thread waits for: bind, enquire_link, unbind. */
final class PendingAnswer {
  private final CompletableFuture<Integer> status = new CompletableFuture<>();
  private final String command;
  private volatile String reason = "";

  /** A request of this name. */
  PendingAnswer(String command) {
    this.command = command;
  }

  /** Makes the request. */
  SmppSession.Request with(SmppSession.Outgoing composed) {
    return new SmppSession.Request() {
      @Override
      public byte @Nullable [] pdu(int sequence) throws PDUStringException {
        return composed.pdu(sequence);
      }

      @Override
      public void answered(int answer, byte[] pdu) {
        status.complete(answer);
      }

      @Override
      public void lost(boolean written, String newReason) {
        reason = newReason;
        status.completeExceptionally(new IOException(newReason));
      }
    };
  }

  /**
   * Waits for the answer and returns its status.
   *
   * @throws IOException if the connection was lost, or no answer came in time; its message is for
   *     people
   */
  int await(Duration longest) throws IOException, InterruptedException {
    try {
      return status.get(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException(reason, e);
    } catch (TimeoutException e) {
      throw new IOException("no answer to " + command + " in " + longest.toSeconds() + " s", e);
    }
  }
}
