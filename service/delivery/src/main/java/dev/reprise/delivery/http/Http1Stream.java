package dev.reprise.delivery.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  private static final int SWITCHING_PROTOCOLS = 101;
  private static final int MIN_INTERIM = 100;
  private static final int MIN_FINAL = 200;

  private final PooledConnection connection;
  private final ChannelHandlerContext channel;
  private final int maxHeadBytes;
  private final Decoder decoder;

  /** The one whose response is awaited; null between two requests. */
  private @Nullable Receiver receiver;

  /** The headers that it wants. */
  private List<String> wanted = List.of();

  private @Nullable ChannelFuture written;

  /** Whether what comes belongs to an interim response, which is passed over. */
  private boolean interim;

  /** The interim responses to the request under way. */
  private int interimResponses;

  private Http1Stream(PooledConnection connection, ChannelHandlerContext channel, int headBytes) {
    this.connection = connection;
    this.channel = channel;
    this.maxHeadBytes = headBytes;
    this.decoder = new Decoder(headBytes);
  }

  /**
   * Takes over a connection.
   *
   * @param below the handler of its pipeline that the bytes of responses come from
   * @param maxHeadBytes how long the head of a response may be
   */
  static Http1Stream of(
      PooledConnection connection, ChannelHandlerContext below, int maxHeadBytes) {
    Http1Stream stream = new Http1Stream(connection, below, maxHeadBytes);
    below.pipeline().addAfter(below.name(), NAME, stream);
    below.pipeline().addBefore(NAME, null, stream.decoder);
    return stream;
  }

  /**
   * Netty's decoder, liberal where nothing depends on it: lines of a head may end with a bare LF
   * (RFC 9112, 2.2), equal lengths may be repeated (6.3), the reason phrase and the blanks around
   * it may be missing. What says where a message ends stays strict; where two fields say so,
   * Transfer-Encoding holds (6.1), and {@link KeepAlive} ends the connection.
   */
  private static final class Decoder extends HttpResponseDecoder {
    private static final Pattern STATUS = Pattern.compile("[0-9]{3}(?![0-9])");

    /** Whether the response that is awaited has a head only (RFC 9112, 6.3). */
    private boolean ofHead;

    /** Whether a byte has come since the last request was sent. */
    private boolean heard;

    Decoder(int maxHeadBytes) {
      super(
          new HttpDecoderConfig()
              .setMaxInitialLineLength(maxHeadBytes)
              .setMaxHeaderSize(maxHeadBytes)
              .setStrictLineParsing(false)
              .setAllowDuplicateContentLengths(true)
              .setUseRfc9112TransferEncoding(false));
    }

    boolean holdsBytes() {
      return actualReadableBytes() > 0;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
      heard = true;
      super.channelRead(context, bytes);
    }

    @Override
    protected String splitSecondWordInitialLine(byte[] line, int start, int length) {
      String word = super.splitSecondWordInitialLine(line, start, length);
      Matcher status = STATUS.matcher(word);
      if (!status.lookingAt()) {
        throw new IllegalArgumentException("status '" + word + "' must have three digits");
      }
      return status.group();
    }

    /** Leaves the length in place: it tells that the end of this message was in doubt. */
    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage response) {
      clearContentLength();
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
    interimResponses = 0;
    decoder.heard = false;
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
        // It was not asked for, so the next request must not take it for its answer.
        connection.close();
      } else if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
        malformed(part, part.decoderResult().cause(), receiver);
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
    if (version.majorVersion() != 1) {
      broken(new DecoderException("Unsupported HTTP version: " + version));
      return;
    }
    int status = response.status().code();
    interim = status < MIN_FINAL;
    if (!interim) {
      KeepAlive.apply(response, connection);
      receiver.head(headOf(response, null));
    } else if (status == SWITCHING_PROTOCOLS) {
      broken(AnswerException.switched());
    } else if (status < MIN_INTERIM) {
      broken(new DecoderException("status " + status + " must be from 100 to 999"));
    } else if (++interimResponses > MAX_INTERIM_RESPONSES) {
      broken(AnswerException.interim());
    }
  }

  private ResponseHead headOf(HttpResponse response, @Nullable String fault) {
    HttpHeaders headers = response.headers();
    return new ResponseHead(
        response.status().code(),
        headers.getAll(HttpHeaderNames.RETRY_AFTER),
        headers.get(HttpHeaderNames.DATE),
        wanted.isEmpty() ? Map.of() : ResponseHead.pick(wanted, headers::get),
        fault);
  }

  /**
   * Ends the exchange with what is no HTTP. A status line that was read is an answer all the same,
   * if what follows it is only too long or no header: the connection ends with it, so that nothing
   * depends on the rest.
   */
  private void malformed(HttpObject part, Throwable cause, Receiver receiver) {
    boolean tooLong = cause instanceof TooLongHttpHeaderException;
    Throwable fault = tooLong ? AnswerException.head(maxHeadBytes) : cause;
    if (part instanceof HttpResponse response && decides(response, cause)) {
      this.receiver = null;
      connection.close();
      String rest =
          tooLong
              ? ResponseHead.tooLong(maxHeadBytes)
              : "the rest of its head was not read: " + cause.getMessage();
      receiver.head(headOf(response, rest));
      receiver.broken(fault, Progress.ANSWERING);
    } else {
      broken(fault);
    }
  }

  private static boolean decides(HttpResponse response, Throwable cause) {
    return !(response instanceof FullHttpResponse) // Netty's, in place of one without status line.
        && response.protocolVersion().majorVersion() == 1
        && response.status().code() >= MIN_FINAL
        && !(cause instanceof PrematureChannelClosureException)
        && saysWhereItEnds(response.headers());
  }

  /** Whether no field that was read leaves open where the message ends (RFC 9112, 6.3). */
  private static boolean saysWhereItEnds(HttpHeaders headers) {
    List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (!codings.isEmpty()) {
      String last = codings.get(codings.size() - 1).strip().toLowerCase(Locale.ROOT);
      return last.endsWith("chunked");
    }
    List<String> lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH);
    try {
      return lengths.isEmpty() || HttpUtil.normalizeAndGetContentLength(lengths, false, true) >= 0;
    } catch (IllegalArgumentException e) {
      return false;
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
      receiver.broken(fault, decoder.heard ? Progress.ANSWERING : Progress.UNANSWERED);
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
