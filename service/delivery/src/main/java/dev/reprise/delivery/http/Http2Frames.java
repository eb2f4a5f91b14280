package dev.reprise.delivery.http;

import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stands between Netty's decoder of HTTP/2 and the client of Vert.x, which takes the first HEADERS
 * of a stream with any status but 100 and 103 for the final response and fails at the second, and
 * which tells of the first GOAWAY only. Of a head that is longer than the limit it passes on the
 * part within: Netty's own limit would leave nothing of it, not even the status.
 */
final class Http2Frames extends Http2FrameListenerDecorator {
  private static final String SWITCHING_PROTOCOLS = "101";

  /** The bytes that a header takes beside its name and value (RFC 9113, 6.5.2). */
  private static final int HEADER_BYTES = 32;

  /** The interim responses of those streams that have had any and are still awaited. */
  private final Map<Integer, Integer> interim = new HashMap<>();

  /** The streams whose heads were cut off. */
  private final Set<Integer> cut = new HashSet<>();

  private final int maxHeadBytes;
  private int lastStream = Integer.MAX_VALUE;

  private Http2Frames(Http2FrameListener vertx, int maxHeadBytes) {
    super(vertx);
    this.maxHeadBytes = maxHeadBytes;
  }

  /**
   * Takes its place in a connection, whose settings have been exchanged.
   *
   * @param maxHeadBytes how much of the head of a response is read
   */
  static Http2Frames of(Http2ConnectionHandler handler, int maxHeadBytes) {
    Http2Frames frames = new Http2Frames(handler.decoder().frameListener(), maxHeadBytes);
    handler.decoder().frameListener(frames);
    Http2Connection connection = handler.connection();
    connection.addListener(
        new Http2ConnectionAdapter() {
          @Override
          public void onStreamRemoved(Http2Stream stream) {
            frames.interim.remove(stream.id());
            frames.cut.remove(stream.id());
          }
        });
    return frames;
  }

  /** Whether the endpoint has said that it does not process a stream (RFC 9113, 6.8). */
  boolean isUnprocessed(long stream) {
    return stream > lastStream;
  }

  /** Whether the endpoint takes no more streams, and has processed one at least. */
  boolean isLeftAfterWork() {
    return lastStream > 0 && lastStream < Integer.MAX_VALUE;
  }

  /** Whether an interim response has come on a stream whose final one has not. */
  boolean hasInterim(long stream) {
    return interim.containsKey((int) stream);
  }

  /** Why the rest of the head of a response was not read, for people; null if it was. */
  @Nullable String takeFault(long stream) {
    return cut.remove((int) stream) ? ResponseHead.tooLong(maxHeadBytes) : null;
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context, int stream, Http2Headers headers, int padding, boolean end)
      throws Http2Exception {
    if (!passOver(stream, headers, end)) {
      super.onHeadersRead(context, stream, within(stream, headers), padding, end);
    }
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context,
      int stream,
      Http2Headers headers,
      int dependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean end)
      throws Http2Exception {
    if (!passOver(stream, headers, end)) {
      super.onHeadersRead(
          context, stream, within(stream, headers), dependency, weight, exclusive, padding, end);
    }
  }

  private boolean passOver(int stream, Http2Headers headers, boolean end) throws Http2Exception {
    CharSequence status = headers.status();
    if (status == null || HttpStatusClass.valueOf(status) != HttpStatusClass.INFORMATIONAL) {
      interim.remove(stream);
      return false;
    }
    if (SWITCHING_PROTOCOLS.contentEquals(status)) {
      throw refusal(stream, AnswerException.switched());
    }
    if (end) {
      throw Http2Exception.streamError(
          stream, PROTOCOL_ERROR, "the response ends with the interim status %s", status);
    }
    if (interim.merge(stream, 1, Integer::sum) > RequestStream.MAX_INTERIM_RESPONSES) {
      throw refusal(stream, AnswerException.interim());
    }
    return true;
  }

  private Http2Headers within(int stream, Http2Headers headers) {
    long bytes = 0;
    for (Map.Entry<CharSequence, CharSequence> header : headers) {
      bytes += bytes(header);
    }
    if (bytes <= maxHeadBytes) {
      return headers;
    }
    Http2Headers within = new DefaultHttp2Headers(false);
    bytes = 0;
    for (Map.Entry<CharSequence, CharSequence> header : headers) {
      bytes += bytes(header);
      if (bytes > maxHeadBytes) {
        break;
      }
      within.add(header.getKey(), header.getValue());
    }
    cut.add(stream);
    return within;
  }

  private static int bytes(Map.Entry<CharSequence, CharSequence> header) {
    return header.getKey().length() + header.getValue().length() + HEADER_BYTES;
  }

  private static Http2Exception refusal(int stream, AnswerException cause) {
    return Http2Exception.streamError(
        stream, ENHANCE_YOUR_CALM, cause, "%s", String.valueOf(cause.getMessage()));
  }

  @Override
  public void onGoAwayRead(
      ChannelHandlerContext context, int last, long code, @Nullable ByteBuf debugData)
      throws Http2Exception {
    lastStream = Math.min(lastStream, last);
    super.onGoAwayRead(context, last, code, debugData);
  }
}
