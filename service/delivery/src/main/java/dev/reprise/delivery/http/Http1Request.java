package dev.reprise.delivery.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.address.EndpointUrl;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.Map;

/** A request as HTTP/1.1 writes it (RFC 9112, 3): head and body in one buffer. */
public final class Http1Request {
  private static final byte[] CONTENT_LENGTH = "content-length: ".getBytes(US_ASCII);
  private static final int MAX_DIGITS = 10;

  /** The line break, and colon and space, as two bytes each. */
  private static final int CRLF = '\r' << 8 | '\n';

  private static final int COLON = ':' << 8 | ' ';
  private static final int SEPARATORS = 4;

  private Http1Request() {}

  /**
   * Whether a request says what its content is, and how long: not if it has none and its method
   * expects none (RFC 9110, 8.6).
   */
  static boolean describesContent(HttpAttempt attempt) {
    String method = attempt.options().method();
    return method.equals("POST")
        || attempt.body().length > 0
        || method.equals("PUT")
        || method.equals("PATCH");
  }

  /** Writes an attempt whose headers {@link RequestHeaders} has let pass. */
  static ByteBuf encode(HttpAttempt attempt, ByteBufAllocator allocator) {
    if (!attempt.options().method().equals("POST")) {
      return encodeOther(attempt, allocator);
    }
    byte[] beginning = attempt.url().http1Beginning();
    List<Map.Entry<String, String>> headers = attempt.headers();
    int size =
        beginning.length
            + attempt.contentType().length()
            + CONTENT_LENGTH.length
            + MAX_DIGITS
            + 2 * SEPARATORS
            + attempt.body().length;
    for (int i = 0; i < headers.size(); i++) {
      Map.Entry<String, String> header = headers.get(i);
      size += header.getKey().length() + header.getValue().length() + SEPARATORS;
    }
    ByteBuf out = allocator.ioBuffer(size);
    out.writeBytes(beginning);
    ByteBufUtil.writeAscii(out, attempt.contentType());
    out.writeShort(CRLF);
    writeHeaders(headers, out);
    out.writeBytes(CONTENT_LENGTH);
    ByteBufUtil.writeAscii(out, Integer.toString(attempt.body().length));
    out.writeShort(CRLF).writeShort(CRLF);
    return out.writeBytes(attempt.body());
  }

  private static void writeHeaders(List<Map.Entry<String, String>> headers, ByteBuf out) {
    for (int i = 0; i < headers.size(); i++) {
      ByteBufUtil.writeAscii(out, headers.get(i).getKey());
      out.writeShort(COLON);
      ByteBufUtil.writeAscii(out, headers.get(i).getValue());
      out.writeShort(CRLF);
    }
  }

  /** Encodes a request that is no POST: it is rare, so nothing of it is prepared. */
  private static ByteBuf encodeOther(HttpAttempt attempt, ByteBufAllocator allocator) {
    EndpointUrl url = attempt.url();
    ByteBuf out = allocator.ioBuffer();
    ByteBufUtil.writeAscii(
        out,
        attempt.options().method()
            + (" " + url.target() + " HTTP/1.1\r\nhost: " + url.hostAndPort() + "\r\n"));
    writeHeaders(attempt.headers(), out);
    if (describesContent(attempt)) {
      ByteBufUtil.writeAscii(out, "content-type: " + attempt.contentType() + "\r\n");
      out.writeBytes(CONTENT_LENGTH);
      ByteBufUtil.writeAscii(out, Integer.toString(attempt.body().length));
      out.writeShort(CRLF);
    }
    return out.writeShort(CRLF).writeBytes(attempt.body());
  }
}
