package dev.reprise.device.transport.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.common.text.HarmlessText;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * An answer as far as it came: the status and the headers, and of the body the beginning, on one
 * line, for an error message. The rest is read, so that the connection can be used again, and
 * forgotten: no server can make a device hold more.
 */
final class Excerpt implements HttpResponse.BodySubscriber<String> {
  private static final int MAX_BYTES = 300;

  private final HttpResponse.ResponseInfo head;
  private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
  private final CompletableFuture<String> text = new CompletableFuture<>();

  Excerpt(HttpResponse.ResponseInfo head) {
    this.head = head;
  }

  /** Returns the answer as far as it has come; callable by any thread. */
  HttpAnswer answer(URI asked) {
    return new HttpAnswer(asked, head.statusCode(), head.headers(), said());
  }

  private String said() {
    return HarmlessText.oneLine(beginning.toString(UTF_8));
  }

  @Override
  public CompletionStage<String> getBody() {
    return text;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      byte[] bytes = new byte[Math.min(buffer.remaining(), MAX_BYTES - beginning.size())];
      buffer.get(bytes);
      beginning.writeBytes(bytes);
    }
  }

  /** The status says more than how the body ended. */
  @Override
  public void onError(Throwable failure) {
    onComplete();
  }

  @Override
  public void onComplete() {
    text.complete(said());
  }
}
