package dev.reprise.core.http;

import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.Flow.Subscriber;

/**
 * Marks a body that can be sent as often as needed although its length is not known beforehand,
 * such as one that opens the same file for every attempt:
 *
 * <pre>{@code
 * new ReplayableBody(BodyPublishers.ofInputStream(() -> open(path)))
 * }</pre>
 *
 * @param body the body; every subscription brings all of it
 */
public record ReplayableBody(BodyPublisher body) implements BodyPublisher {
  /** Checks that there is a body. */
  public ReplayableBody {
    Objects.requireNonNull(body, "body");
  }

  @Override
  public long contentLength() {
    return body.contentLength();
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
    body.subscribe(subscriber);
  }
}
