package dev.reprise.bench.device;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.codec.EncoderState;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.EngineFactory;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.impl.ProtonDeliveryTagGenerator;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.jspecify.annotations.Nullable;

/**
 * The protonj2 engine on one event loop of Netty, with nothing around it but what every user of it
 * must write: messages are handed over to the loop, several in one run of it, and what one run
 * writes is flushed once. It sends the same bytes as ours.
 */
final class BareAmqp extends SimpleChannelInboundHandler<ByteBuf> implements Publisher {
  private static final String ID_PREFIX = "00000000-0000-0000-0000";
  private static final long FIRST_ID = 1_000_000_000_000L;

  private record Outgoing(String id, byte[] body, CompletableFuture<Void> stage) {}

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("bare-amqp", true), NioIoHandler.newFactory());
  private final Queue<Outgoing> handedOver = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final Engine engine = EngineFactory.PROTON.createNonSaslEngine();
  private final Encoder encoder = CodecFactory.getDefaultEncoder();
  private final EncoderState encoding = encoder.newEncoderState();
  private final Header durable = new Header().setDurable(true);
  private final Channel channel;
  private @Nullable Sender sender;
  private final int window;
  private @Nullable ByteBuf batch;
  private int inFlight;
  private long nextId = FIRST_ID;

  BareAmqp(int port, String address, int window) throws Exception {
    this.window = window;
    channel =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(this)
            .connect("127.0.0.1", port)
            .sync()
            .channel();
    channel.eventLoop().submit(() -> open(address)).get();
    ready.join();
  }

  private void open(String address) {
    engine.outputConsumer(this::write);
    engine.errorHandler(failed -> ready.completeExceptionally(failed.failureCause()));
    var connection = engine.start().setContainerId("bare").setHostname("127.0.0.1").open();
    Sender link = connection.session().open().sender("bare");
    sender = link;
    link.setSource(new Source().setAddress("bare").setOutcomes(Accepted.DESCRIPTOR_SYMBOL))
        .setTarget(new Target().setAddress(address));
    link.setDeliveryTagGenerator(ProtonDeliveryTagGenerator.BUILTIN.POOLED.createGenerator())
        .creditStateUpdateHandler(
            granted -> {
              ready.complete(null);
              drain();
            })
        .deliveryStateUpdatedHandler(this::settled)
        .open();
    flush();
  }

  @Override
  public CompletionStage<?> send(byte[] body) {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    handedOver.add(new Outgoing(ID_PREFIX + nextId++, body, stage));
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      channel
          .eventLoop()
          .execute(
              () -> {
                scheduled.set(false);
                drain();
                flush();
              });
    }
    return stage;
  }

  private void drain() {
    Sender link = sender;
    while (link != null && inFlight < window && link.isSendable()) {
      Outgoing next = handedOver.poll();
      if (next == null) {
        return;
      }
      inFlight++;
      OutgoingDelivery delivery = link.next();
      delivery.setLinkedResource(next.stage);
      delivery.writeBytes(encode(next));
    }
  }

  private ProtonBuffer encode(Outgoing message) {
    encoding.reset();
    ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate(256);
    encoder.writeObject(buffer, encoding, durable);
    encoder.writeObject(buffer, encoding, new Properties().setMessageId(message.id));
    encoder.writeObject(buffer, encoding, new Data(message.body));
    return buffer;
  }

  private void settled(OutgoingDelivery delivery) {
    CompletableFuture<?> stage = delivery.getLinkedResource(CompletableFuture.class);
    inFlight--;
    delivery.settle();
    if (delivery.getRemoteState() instanceof Accepted) {
      stage.complete(null);
    } else {
      stage.completeExceptionally(new IllegalStateException("" + delivery.getRemoteState()));
    }
  }

  private void write(ProtonBuffer frame) {
    ByteBuf pending = batch;
    if (pending == null) {
      pending = channel.alloc().ioBuffer(64 * 1024);
      batch = pending;
    }
    int length = frame.getReadableBytes();
    pending.ensureWritable(length);
    int end = pending.writerIndex();
    frame.copyInto(frame.getReadOffset(), pending.nioBuffer(end, length), 0, length);
    pending.writerIndex(end + length);
  }

  private void flush() {
    ByteBuf pending = batch;
    batch = null;
    if (pending != null) {
      var unused = channel.writeAndFlush(pending);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf read) {
    byte[] bytes = new byte[read.readableBytes()];
    read.readBytes(bytes);
    engine.accept(ProtonBufferAllocator.defaultAllocator().copy(bytes));
    drain();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    flush();
  }

  @Override
  public void close() {
    channel.close().syncUninterruptibly();
    var unused = group.shutdownGracefully();
  }
}
