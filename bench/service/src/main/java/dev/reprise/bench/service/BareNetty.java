package dev.reprise.bench.service;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;

/** The limit: connections that write the same bytes again and again, and Netty's own decoder. */
final class BareNetty extends ChannelInboundHandlerAdapter {
  private final byte[] head;
  private final byte[] body;
  private final LongAdder answered;

  private BareNetty(byte[] head, byte[] body, LongAdder answered) {
    this.head = head;
    this.body = body;
    this.answered = answered;
  }

  static void start(int port, byte[] body, LongAdder answered) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(
                new MultiThreadIoEventLoopGroup(
                    Runtime.getRuntime().availableProcessors(), NioIoHandler.newFactory()))
            .channel(NioSocketChannel.class);
    for (int i = 0; i < SendLoad.ENDPOINTS; i++) {
      String host = Addresses.loopback(i);
      byte[] head = head(host + ":" + port, body.length);
      ChannelFuture unused =
          bootstrap
              .clone()
              .handler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel
                          .pipeline()
                          .addLast(new HttpResponseDecoder(), new BareNetty(head, body, answered));
                    }
                  })
              .connect(host, port);
    }
  }

  private static byte[] head(String host, int length) {
    StringBuilder head = new StringBuilder("POST /hook HTTP/1.1\r\nHost: " + host + "\r\n");
    head.append("Content-Type: " + SendLoad.CONTENT_TYPE + "\r\n");
    SendLoad.HEADERS.forEach(
        header -> head.append(header.getKey() + ": " + header.getValue() + "\r\n"));
    head.append("Content-Length: " + length + "\r\n\r\n");
    return head.toString().getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    post(context);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    boolean last = message instanceof LastHttpContent;
    ReferenceCountUtil.release(message);
    if (last) {
      answered.increment();
      post(context);
    }
  }

  private void post(ChannelHandlerContext context) {
    ByteBuf request = context.alloc().ioBuffer(head.length + body.length);
    request.writeBytes(head).writeBytes(body);
    ChannelFuture unused = context.writeAndFlush(request, context.voidPromise());
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    throw new IllegalStateException("netty", cause);
  }
}
