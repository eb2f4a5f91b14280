package dev.reprise.device.transport.mqtt;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/**
 * Sets what the library has no setting for: the protocols offered in the handshake of TLS (RFC
 * 7301), and a query of the WebSocket that leaves as it was given. It stands before the library's
 * handlers, and so hears first that the channel is connected.
 */
final class BeforeHandshake extends ChannelInboundHandlerAdapter {
  private final MqttSettings settings;

  BeforeHandshake(MqttSettings settings) {
    this.settings = settings;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    ChannelPipeline pipeline = context.pipeline();
    ChannelHandlerContext tls = pipeline.context(SslHandler.class);
    if (tls != null && !settings.alpn().isEmpty()) {
      SSLEngine engine = ((SslHandler) tls.handler()).engine();
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setApplicationProtocols(settings.alpn().toArray(new String[0]));
      engine.setSSLParameters(parameters);
    }
    if (settings.webSocketQuery().contains("%")) {
      if (tls == null) {
        pipeline.addFirst(new RawQuery());
      } else {
        pipeline.addAfter(tls.name(), null, new RawQuery());
      }
    }
    pipeline.remove(this);
    context.fireChannelActive();
  }

  /** Takes back that the library encodes each percent sign of a query once more. */
  private static final class RawQuery extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      Object written = message;
      if (message instanceof ByteBuf bytes) {
        written = Unpooled.copiedBuffer(withRawQuery(bytes.toString(US_ASCII)), US_ASCII);
        bytes.release();
        context.pipeline().remove(this);
      }
      var unused = context.write(written, promise);
    }

    private static String withRawQuery(String request) {
      int query = request.indexOf('?');
      int end = request.indexOf(" HTTP/");
      return query < 0 || end < query
          ? request
          : request.substring(0, query)
              + request.substring(query, end).replace("%25", "%")
              + request.substring(end);
    }
  }
}
