package dev.reprise.device.transport.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.common.text.HarmlessText;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.net.URI;

/**
 * An answer as far as it came: the status and the headers, and of the body the beginning, on one
 * line, for an error message. The rest is read, so that the connection can be used again, and
 * forgotten: no server can make a device hold more. Thread-safe.
 */
final class Excerpt {
  private static final int MAX_BYTES = 300;

  private final HttpResponse head;
  private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();

  Excerpt(HttpResponse head) {
    this.head = head;
  }

  HttpResponse head() {
    return head;
  }

  /** Adds what has come of the body. */
  void add(ByteBuf piece) {
    byte[] bytes = new byte[Math.min(piece.readableBytes(), MAX_BYTES - beginning.size())];
    piece.readBytes(bytes);
    beginning.writeBytes(bytes);
  }

  /** Returns the answer as far as it has come. */
  HttpAnswer answer(URI asked) {
    return new HttpAnswer(
        asked,
        head.status().code(),
        head.headers(),
        HarmlessText.oneLine(beginning.toString(UTF_8)));
  }
}
