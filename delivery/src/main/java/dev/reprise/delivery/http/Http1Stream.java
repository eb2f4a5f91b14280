package dev.reprise.delivery.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of an HTTP/1.1 connection, one after the other. It stands behind Netty's decoder of
 * responses and before the handlers of the client that made the connection, which learn of nothing
 * but its end: what they would make of a request and a response costs several times as much as the
 * two themselves.
 */
final class Http1Stream extends ChannelInboundHandlerAdapter implements RequestStream {
  private static final Logger LOG = LoggerFactory.getLogger(Http1Stream.class);
  private static final String NAME = "http1-stream";
  private static final int CONTINUE = 100;
  private static final int EARLY_HINTS = 103;

  private final PooledConnection connection;
  private final ChannelHandlerContext channel;
  private final Decoder decoder = new Decoder();

  /** The one whose response is awaited; null between two requests. */
  private @Nullable Receiver receiver;

  /** The headers that it wants to hear of. */
  private List<String> wanted = List.of();

  private @Nullable ChannelFuture written;

  /** Whether what comes belongs to an interim response, which is passed over. */
  private boolean interim;

  private Http1Stream(PooledConnection connection, ChannelHandlerContext channel) {
    this.connection = connection;
    this.channel = channel;
  }

  /**
   * Takes over a connection.
   *
   * @param below the handler of its pipeline that the bytes of responses come from
   */
  static Http1Stream of(PooledConnection connection, ChannelHandlerContext below) {
    Http1Stream stream = new Http1Stream(connection, below);
    below.pipeline().addAfter(below.name(), NAME, stream);
    below.pipeline().addBefore(NAME, null, stream.decoder);
    return stream;
  }

  private static final class Decoder extends HttpResponseDecoder {
    /** Whether the response that is awaited has a head only (RFC 9112, 6.3). */
    private boolean ofHead;

    boolean holdsBytes() {
      return actualReadableBytes() > 0;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage response) {
      return ofHead || super.isContentAlwaysEmpty(response);
    }
  }

  @Override
  public void send(HttpAttempt attempt, Receiver receiver) {
    if (!channel.channel().isActive()) {
      receiver.unsent();
      return;
    }
    this.receiver = receiver;
    wanted = attempt.options().wanted();
    decoder.ofHead = attempt.options().method().equals("HEAD");
    ByteBuf request = Http1Request.encode(attempt, channel.alloc());
    receiver.sending();
    written = channel.writeAndFlush(request);
  }

  @Override
  public boolean isWritten() {
    return written != null && written.isDone();
  }

  @Override
  public void reset() {
    receiver = null;
    connection.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      Receiver receiver = this.receiver;
      if (receiver == null) {
        // Nobody has asked for it, so the next request must not take it for its answer.
        connection.close();
      } else if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
        broken(part.decoderResult().cause());
      } else {
        if (message instanceof HttpResponse response) {
          head(response, receiver);
        }
        if (message instanceof HttpContent content) {
          body(content);
        }
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void head(HttpResponse response, Receiver receiver) {
    HttpVersion version = response.protocolVersion();
    if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
      broken(new DecoderException("Unsupported HTTP version: " + version));
      return;
    }
    int status = response.status().code();
    interim = status == CONTINUE || status == EARLY_HINTS;
    if (!interim) {
      KeepAlive.apply(response, connection);
      HttpHeaders headers = response.headers();
      receiver.head(
          new ResponseHead(
              status,
              headers.getAll(HttpHeaderNames.RETRY_AFTER),
              headers.get(HttpHeaderNames.DATE),
              wanted.isEmpty() ? Map.of() : ResponseHead.pick(wanted, headers::get)));
    }
  }

  private void body(HttpContent content) {
    boolean last = content instanceof LastHttpContent;
    if (interim) {
      interim = !last;
      return;
    }
    // The head may have ended the exchange, and each part of the body may.
    Receiver receiver = this.receiver;
    if (receiver != null && content.content().isReadable()) {
      receiver.body(content.content());
      receiver = this.receiver;
    }
    if (receiver != null && last) {
      this.receiver = null;
      receiver.end();
    }
  }

  private void broken(Throwable fault) {
    Receiver receiver = this.receiver;
    this.receiver = null;
    connection.close();
    if (receiver != null) {
      receiver.broken(fault);
    }
  }

  /** All that was read has been dealt with; the handlers behind this one have no part in it. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (receiver == null && decoder.holdsBytes()) {
      // They would spoil the head of the next response.
      connection.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    broken(new ClosedChannelException());
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable fault) {
    LOG.debug("Connection to {}", context.channel().remoteAddress(), fault);
    broken(fault);
  }
}
