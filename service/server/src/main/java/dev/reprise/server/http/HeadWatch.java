package dev.reprise.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ByteProcessor;

/**
 * Notes when the head of a request begins to arrive on a connection, and when it is complete. It
 * looks on both sides of the decoder, so after TLS, and takes no byte of a body for one of a head.
 *
 * <p>A head whose first bytes come together with the end of the request before counts from its next
 * bytes: what the decoder keeps is not seen.
 */
final class HeadWatch {
  private final ClientConnection connection;

  /** From the end of a head to the end of the body. */
  private boolean inRequest;

  private HeadWatch(ClientConnection connection) {
    this.connection = connection;
  }

  /** Watches a connection whose pipeline has its decoder, from its event loop. */
  static void begin(ClientConnection connection, ChannelPipeline pipeline) {
    HeadWatch watch = new HeadWatch(connection);
    String decoder = pipeline.context(HttpRequestDecoder.class).name();
    pipeline.addBefore(decoder, "reprise-bytes", watch.new Bytes());
    pipeline.addAfter(decoder, "reprise-requests", watch.new Requests());
  }

  private final class Bytes extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      // Some clients send empty lines after a body, and the decoder skips them.
      if (!inRequest
          && message instanceof ByteBuf bytes
          && bytes.forEachByte(ByteProcessor.FIND_NON_CRLF) >= 0) {
        connection.headBegan(System.nanoTime());
      }
      context.fireChannelRead(message);
    }
  }

  private final class Requests extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest) {
        inRequest = true;
        connection.headEnded();
      }
      if (message instanceof LastHttpContent) {
        inRequest = false;
      }
      context.fireChannelRead(message);
    }
  }
}
