package dev.reprise.device.transport.mqtt;

import com.hivemq.client.internal.mqtt.handler.ping.MqttPingHandler;
import com.hivemq.client.internal.mqtt.message.ping.MqttPingResp;
import dev.reprise.device.transport.SendBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands behind the encoder and writes messages in pieces, so that it is seen that their bytes move
 * and when the last one has left. Belongs to the loop.
 */
final class PublishWrites extends ChannelOutboundHandlerAdapter {
  static final String NAME = "publish-writes";

  private static final int PUBLISH = 3;

  /** A write that takes less may have been taken by the system alone. */
  private static final long MIN_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SendBuffer buffer;
  private final @Nullable MqttPingHandler keepAlive;
  private final Runnable onRoom;
  private final LongSupplier clock;

  /**
   * Creates the handler.
   *
   * @param buffer told of each message, in order
   * @param keepAlive the library's probe of the link, or null: it is not probed
   * @param onRoom called when there is room in the buffer again
   * @param clock in nanoseconds, as {@link System#nanoTime}
   */
  PublishWrites(
      SendBuffer buffer, @Nullable MqttPingHandler keepAlive, Runnable onRoom, LongSupplier clock) {
    this.buffer = buffer;
    this.keepAlive = keepAlive;
    this.onRoom = onRoom;
    this.clock = clock;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (!(message instanceof ByteBuf packet)
        || !packet.isReadable()
        || packet.getUnsignedByte(packet.readerIndex()) >> 4 != PUBLISH) {
      var unused = context.write(message, promise);
      return;
    }
    long writtenNanos = clock.getAsLong();
    while (packet.readableBytes() > SendBuffer.PIECE_BYTES) {
      context
          .write(packet.readRetainedSlice(SendBuffer.PIECE_BYTES))
          .addListener(
              written -> {
                if (written.isSuccess()) {
                  buffer.moved();
                  onMoved(context, writtenNanos);
                }
              });
    }
    context
        .write(packet, promise.unvoid())
        .addListener(
            written -> {
              if (written.isSuccess()) {
                onMoved(context, writtenNanos);
                if (buffer.left()) {
                  onRoom.run();
                }
              }
            });
  }

  /**
   * Moving bytes are as good as the answer to a probe, if they had to wait until others before them
   * were gone. A probe of the library's may wait behind a large message, and it would hang up when
   * that takes as long as the keep-alive.
   */
  private void onMoved(ChannelHandlerContext context, long writtenNanos) {
    if (keepAlive != null && clock.getAsLong() - writtenNanos >= MIN_WAIT_NANOS) {
      keepAlive.operationComplete(context.newSucceededFuture());
      keepAlive.channelRead(context, MqttPingResp.INSTANCE);
    }
  }
}
