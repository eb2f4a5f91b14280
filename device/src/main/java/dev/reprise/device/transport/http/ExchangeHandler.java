package dev.reprise.device.transport.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the answer to one request from its channel, and then leaves the pipeline. */
final class ExchangeHandler extends ChannelInboundHandlerAdapter {
  private static final int SWITCHING_PROTOCOLS = 101;

  /** The time of an idle connection in {@code Keep-Alive: timeout=5, max=100}, in seconds. */
  private static final Pattern KEEP_ALIVE = Pattern.compile("(?i)\\btimeout\\s*=\\s*\"?(\\d{1,6})");

  private static final Duration KEEP_ALIVE_MARGIN = Duration.ofSeconds(1);

  private final HttpOrigin origin;
  private final RequestExchange exchange;
  private final Upload upload;
  private @Nullable Excerpt answer;
  private @Nullable Throwable writeFailure;
  private boolean isInterim;
  private boolean isTold;
  private boolean isRead;
  private boolean ended;

  ExchangeHandler(HttpOrigin origin, RequestExchange exchange) {
    this.origin = origin;
    this.exchange = exchange;
    this.upload = exchange.upload();
  }

  /** Ends the channel, unless the request is over. */
  void abort(Channel channel) {
    if (!ended) {
      ended = true;
      HttpDial.close(channel);
    }
  }

  /**
   * A part of the request could not be written. A server that does not want a body answers before
   * it ends the connection: that answer is still read.
   */
  void notWritten(Channel channel, Throwable cause) {
    Excerpt excerpt = answer;
    if (!channel.isActive() || (excerpt != null && isSuccess(excerpt.head()))) {
      fail(translated(cause));
      HttpDial.close(channel);
    } else if (writeFailure == null) {
      writeFailure = translated(cause);
    }
  }

  /** The request was written. */
  void written(Channel channel) {
    advance(channel, false);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    // A stream may wait for other streams, with nothing of its own under way.
    if (!ended && context.channel().isWritable()) {
      upload.proceed(context.channel(), this);
    }
    context.fireChannelWritabilityChanged();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (!ended && message instanceof HttpObject part) {
        read(context, part);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void read(ChannelHandlerContext context, HttpObject part) {
    if (part.decoderResult().isFailure()) {
      fail(unreadable(part.decoderResult().cause()));
      HttpDial.close(context.channel());
      return;
    }
    if (part instanceof HttpResponse head) {
      String wrong = wrong(head);
      if (wrong != null) {
        fail(new ProtocolException(wrong));
        HttpDial.close(context.channel());
        return;
      }
      isInterim = head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
      if (!isInterim) {
        answer = new Excerpt(head);
      }
    }
    Excerpt excerpt = answer;
    if (excerpt == null || isInterim) {
      return;
    }
    if (part instanceof HttpContent content) {
      excerpt.add(content.content());
    }
    isRead |= part instanceof LastHttpContent;
    advance(context.channel(), false);
  }

  /**
   * Goes on with the answer as far as it has come. A success counts when the request was written: a
   * server that answers before has not got all of it.
   *
   * @param isEnough whether the server said that it needs no more of the request
   */
  private void advance(Channel channel, boolean isEnough) {
    Excerpt excerpt = answer;
    if (ended || excerpt == null) {
      return;
    }
    if (isSuccess(excerpt.head()) && !upload.isWhole() && !isEnough) {
      return;
    }
    if (!isTold) {
      isTold = true;
      exchange.answered(excerpt);
    }
    if (isRead) {
      complete(channel, excerpt.head());
    }
  }

  private void complete(Channel channel, HttpResponse head) {
    ended = true;
    if (upload.isWhole() && HttpUtil.isKeepAlive(head)) {
      channel.pipeline().remove(this);
      HttpPool.shared().giveBack(origin, channel, maxIdle(head));
    } else {
      HttpDial.close(channel);
    }
    exchange.completed();
  }

  private static boolean isSuccess(HttpResponse head) {
    return head.status().codeClass() == HttpStatusClass.SUCCESS;
  }

  private static Duration maxIdle(HttpResponse head) {
    Matcher matcher = KEEP_ALIVE.matcher(head.headers().get("Keep-Alive", ""));
    if (!matcher.find()) {
      return HttpPool.MAX_IDLE;
    }
    // A request that is sent when the server ends the connection is lost.
    Duration said = Duration.ofSeconds(Long.parseLong(matcher.group(1))).minus(KEEP_ALIVE_MARGIN);
    return said.compareTo(HttpPool.MAX_IDLE) < 0 ? said : HttpPool.MAX_IDLE;
  }

  /** Returns what is wrong with the head of an answer that could be read, or null. */
  private static @Nullable String wrong(HttpResponse head) {
    int status = head.status().code();
    if (head.protocolVersion().majorVersion() > HttpVersion.HTTP_1_1.majorVersion()) {
      return "an answer of " + head.protocolVersion();
    }
    return status < 100 || status > 999 || status == SWITCHING_PROTOCOLS
        ? "an answer with the status " + status
        : null;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof Http2ResetFrame reset) {
      if (isRead && reset.errorCode() == Http2Error.NO_ERROR.code()) {
        // RFC 9113, 8.1: the answer is complete, and needs no more of the request.
        advance(context.channel(), true);
      }
      fail(
          reset.errorCode() == Http2Error.REFUSED_STREAM.code()
              ? tooManyStreams()
              : new IOException(
                  "the server ended the stream: " + Http2Error.valueOf(reset.errorCode())));
    } else if (event instanceof Http2GoAwayFrame) {
      fail(new IOException("request not processed by peer"));
    }
    ReferenceCountUtil.release(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    Throwable cause = writeFailure;
    fail(cause == null ? new EOFException("the server ended the connection") : cause);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(translated(cause));
    HttpDial.close(context.channel());
  }

  private void fail(Throwable cause) {
    if (!ended) {
      ended = true;
      exchange.failed(cause);
    }
  }

  private static IOException unreadable(Throwable cause) {
    if (cause instanceof PrematureChannelClosureException) {
      return new EOFException("the server ended the connection within the head of its answer");
    }
    return new ProtocolException("an answer that is not HTTP: " + cause.getMessage());
  }

  private static Throwable translated(Throwable cause) {
    if (cause instanceof Http2Exception http2 && http2.error() == Http2Error.REFUSED_STREAM) {
      return tooManyStreams();
    }
    return cause instanceof Http2Exception http2
        ? new ProtocolException(http2.getMessage())
        : cause;
  }

  private static IOException tooManyStreams() {
    return new IOException("too many concurrent streams");
  }
}
