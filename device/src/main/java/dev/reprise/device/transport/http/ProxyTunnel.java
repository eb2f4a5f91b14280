package dev.reprise.device.transport.http;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * Asks an HTTP proxy for a tunnel to the server (RFC 9110, 9.3.6), and then leaves the pipeline.
 */
final class ProxyTunnel extends ChannelInboundHandlerAdapter {
  private final HttpOrigin origin;
  private final InetSocketAddress proxy;
  private final Runnable opened;
  private final Consumer<Throwable> failed;
  private final HttpClientCodec codec = HttpDial.newCodec();

  /**
   * A tunnel that is asked for when the connection to the proxy is there.
   *
   * @param opened called when bytes go to the server
   */
  ProxyTunnel(
      HttpOrigin origin, InetSocketAddress proxy, Runnable opened, Consumer<Throwable> failed) {
    this.origin = origin;
    this.proxy = proxy;
    this.opened = opened;
    this.failed = failed;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context.pipeline().addFirst(codec);
    String target = origin.host() + ":" + origin.port();
    FullHttpRequest request =
        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.CONNECT, target);
    request.headers().set(HttpHeaderNames.HOST, target);
    ChannelFuture ignored = context.writeAndFlush(request);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (message instanceof HttpResponse answer) {
        read(context, answer);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void read(ChannelHandlerContext context, HttpResponse answer) {
    HttpStatusClass kind = answer.status().codeClass();
    boolean isHttp = !answer.decoderResult().isFailure();
    if (isHttp && kind == HttpStatusClass.INFORMATIONAL) {
      return;
    }
    if (isHttp && kind == HttpStatusClass.SUCCESS) {
      // Whatever it says of a length: the tunnel begins behind the head.
      context.pipeline().remove(this);
      opened.run();
      context.pipeline().remove(codec);
    } else {
      failed.accept(refusal(answer));
      HttpDial.close(context.channel());
    }
  }

  private IOException refusal(HttpResponse answer) {
    boolean isHttp = !answer.decoderResult().isFailure();
    return new IOException(
        "the proxy "
            + proxy.getHostString()
            + ":"
            + proxy.getPort()
            + " opens no tunnel: "
            + (isHttp ? answer.status() : "its answer is not HTTP"));
  }
}
