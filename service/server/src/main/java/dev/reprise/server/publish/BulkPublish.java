package dev.reprise.server.publish;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.server.document.Documents;
import dev.reprise.server.document.ErrorDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Collects the results of the lines of one request. A refused line does not affect the others.
 * Lines end on any thread, each once.
 */
public final class BulkPublish {
  private static final byte[] ITEMS = "\"items\":[".getBytes(US_ASCII);

  private final CompletableFuture<Answer> answer;
  private final byte[][] items;

  /** The errors of lines while none is accepted; from then on they do not matter. */
  private final @Nullable ApiError[] errors;

  private final AtomicInteger left;
  private volatile boolean anyAccepted;

  /** {@code answer} completes when all lines have ended. */
  public BulkPublish(int lines, CompletableFuture<Answer> answer) {
    this.answer = answer;
    this.items = new byte[lines][];
    this.errors = new ApiError[lines];
    this.left = new AtomicInteger(lines);
  }

  /** A line was accepted. */
  public void accepted(int line, PublishReceipt receipt) {
    anyAccepted = true;
    ended(line, json(receipt));
  }

  /** A line was refused. */
  public void refused(int line, ApiError error) {
    if (!anyAccepted) {
      errors[line] = error;
    }
    ended(line, Documents.write(new ErrorDocument.Body(error.toDocument())));
  }

  public static byte[] json(PublishReceipt receipt) {
    String text =
        "{\"messageId\":\""
            + receipt.message()
            + "\",\"deliveries\":"
            + receipt.deliveries()
            + ",\"repeated\":"
            + receipt.repeated()
            + "}";
    return text.getBytes(US_ASCII);
  }

  private void ended(int line, byte[] item) {
    items[line] = item;
    if (left.decrementAndGet() == 0) {
      answer.complete(anyAccepted ? accepted() : refused());
    }
  }

  private Answer accepted() {
    return Answer.json(202, body(null)).thatMustArrive();
  }

  /**
   * None was accepted, so this is no success. The status is what all lines have in common, or the
   * first that is the service's fault: then trying again may help.
   */
  private Answer refused() {
    ApiError first = error(0);
    ApiError chosen = first;
    boolean same = true;
    for (int line = 1; line < errors.length; line++) {
      ApiError error = error(line);
      same &= error.status() == first.status();
      if (error.status() >= 500 && chosen.status() < 500) {
        chosen = error;
      }
    }
    int status = same || chosen.status() >= 500 ? chosen.status() : 400;
    ApiError whole =
        ApiError.of(
            status,
            status == chosen.status() ? chosen.code() : "invalid",
            "none of the " + errors.length + " lines was accepted; the first: " + first.message());
    return Answer.json(status, body(whole)).withHeaders(chosen.headers());
  }

  private ApiError error(int line) {
    ApiError error = errors[line];
    if (error == null) {
      throw new IllegalStateException("line " + line + " was neither accepted nor refused");
    }
    return error;
  }

  private byte[] body(@Nullable ApiError error) {
    ByteArrayOutputStream body = new ByteArrayOutputStream(64 + items.length * 100);
    body.write('{');
    if (error != null) {
      body.writeBytes("\"error\":".getBytes(US_ASCII));
      body.writeBytes(Documents.write(error.toDocument()));
      body.write(',');
    }
    body.writeBytes(ITEMS);
    for (int line = 0; line < items.length; line++) {
      if (line > 0) {
        body.write(',');
      }
      body.writeBytes(items[line]);
    }
    body.writeBytes("]}".getBytes(US_ASCII));
    return body.toByteArray();
  }
}
