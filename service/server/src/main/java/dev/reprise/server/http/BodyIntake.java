package dev.reprise.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes in the body of one request, within the route's limit and the budget of all requests. On one
 * event loop.
 *
 * <p>A body that is too long is answered at once, and what still comes of it is dropped, because a
 * client that is cut off while it sends does not see the answer.
 */
public final class BodyIntake {
  private static final byte[] NOTHING = {};

  private final HttpServerRequest request;
  private final int maxBytes;
  private final ByteBudget budget;
  private final Consumer<ApiError> refused;
  private final long startedNanos = System.nanoTime();

  private @Nullable Buffer gathered;
  private long held;
  private boolean dropping;

  public BodyIntake(
      HttpServerRequest request, int maxBytes, ByteBudget budget, Consumer<ApiError> refused) {
    this.request = request;
    this.maxBytes = maxBytes;
    this.budget = budget;
    this.refused = refused;
  }

  /**
   * Begins.
   *
   * @param ended is given the body at the end of the request; null if it was refused or dropped
   */
  public void start(Consumer<byte @Nullable []> ended) {
    request.handler(this::take);
    request.endHandler(ignored -> ended.accept(whole()));
    String length = request.getHeader("Content-Length");
    if (!dropping && length != null && tooLong(length)) {
      refuse(tooLarge());
    }
  }

  private boolean tooLong(String length) {
    try {
      return Long.parseLong(length) > maxBytes;
    } catch (NumberFormatException e) {
      return true;
    }
  }

  private void take(Buffer part) {
    if (dropping) {
      return;
    }
    if (held + part.length() > maxBytes) {
      refuse(tooLarge());
    } else if (!budget.take(part.length())) {
      refuse(
          ApiError.of(503, "overloaded", "too many requests are being received: try again soon")
              .withHeader("Retry-After", "1"));
    } else {
      held += part.length();
      Buffer before = gathered;
      try {
        // The first part is kept as it is: most bodies have no second.
        gathered = before == null ? part : grown(before, part);
      } catch (OutOfMemoryError e) {
        // A body with a gap must never be taken for a whole one.
        refuse(ApiFailures.toError(e));
      }
    }
  }

  private Buffer grown(Buffer before, Buffer part) {
    if (held == before.length() + part.length() && before.length() < 64 * 1024) {
      return Buffer.buffer(Math.min(maxBytes, 4 * (int) held))
          .appendBuffer(before)
          .appendBuffer(part);
    }
    return before.appendBuffer(part);
  }

  private byte @Nullable [] whole() {
    Buffer whole = gathered;
    gathered = null;
    if (dropping) {
      return null;
    }
    try {
      return whole == null ? NOTHING : whole.getBytes();
    } catch (OutOfMemoryError e) {
      refuse(ApiFailures.toError(e));
      return null;
    }
  }

  private ApiError tooLarge() {
    return maxBytes == 0
        ? ApiError.invalid("body", "present", "must be absent in this request")
        : ApiError.of(413, "too_large", "the request has more than " + maxBytes + " bytes of body");
  }

  private void refuse(ApiError error) {
    drop();
    refused.accept(error);
  }

  /** Wants nothing more of the body; what comes is thrown away. */
  public void drop() {
    dropping = true;
    gathered = null;
    release();
  }

  /** The time at which the request's head had arrived, by {@link System#nanoTime}. */
  public long startedNanos() {
    return startedNanos;
  }

  public void closeConnection() {
    request.connection().close();
  }

  /** Gives back what the body has taken of the budget. */
  public void release() {
    budget.give(held);
    held = 0;
  }
}
