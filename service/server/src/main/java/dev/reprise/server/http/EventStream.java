package dev.reprise.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/**
 * An answer of server-sent events, as the HTML standard has them. A client that does not read
 * misses events; when it has missed {@value #MAX_MISSED} in a row, its connection is closed.
 */
final class EventStream implements EventSource.Listening {
  static final int MAX_MISSED = 30;

  private static final byte[] DATA = "data: ".getBytes(US_ASCII);
  private static final byte[] END = "\n\n".getBytes(US_ASCII);

  private final HttpServerResponse response;
  private final EventLoopQueue queue;
  private final Promise<Void> ended = Promise.promise();
  private volatile boolean gone;

  /** Only on the event loop. */
  private int missed;

  private EventStream(HttpServerResponse response, EventLoopQueue queue) {
    this.response = response;
    this.queue = queue;
  }

  /** Begins a stream whose headers are set; the future completes when it has ended. */
  static Future<Void> open(HttpServerResponse response, EventLoopQueue queue, EventSource source) {
    EventStream stream = new EventStream(response, queue);
    response.setChunked(true);
    response.closeHandler(ignored -> stream.over());
    response.exceptionHandler(ignored -> stream.over());
    // A browser waits so long before it asks again.
    Future<Void> unused = response.write("retry: 1000\n\n");
    source.start(stream);
    return stream.ended.future();
  }

  @Override
  public void send(byte[] data) {
    queue.run(() -> write(data));
  }

  private void write(byte[] data) {
    if (gone) {
      return;
    }
    if (response.writeQueueFull()) {
      missed++;
      if (missed >= MAX_MISSED) {
        over();
        response.reset();
      }
      return;
    }
    missed = 0;
    Future<Void> unused =
        response.write(Buffer.buffer().appendBytes(DATA).appendBytes(data).appendBytes(END));
  }

  @Override
  public void end() {
    queue.run(
        () -> {
          if (!gone) {
            Future<Void> unused = response.end();
            over();
          }
        });
  }

  private void over() {
    gone = true;
    ended.tryComplete();
  }

  @Override
  public boolean gone() {
    return gone;
  }
}
