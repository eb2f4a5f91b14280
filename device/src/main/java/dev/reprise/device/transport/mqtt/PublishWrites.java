package dev.reprise.device.transport.mqtt;

import com.hivemq.client.internal.mqtt.handler.ping.MqttPingHandler;
import com.hivemq.client.internal.mqtt.message.ping.MqttPingResp;
import dev.reprise.device.transport.SendBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * Stands behind the encoder and writes messages in pieces, so that it is seen that their bytes move
 * and when the last one has left. Belongs to the loop.
 */
final class PublishWrites extends ChannelOutboundHandlerAdapter {
  static final String NAME = "publish-writes";

  private static final int PUBLISH = 3;

  private final SendBuffer buffer;
  private final @Nullable MqttPingHandler keepAlive;
  private final Runnable onRoom;

  /**
   * Creates the handler.
   *
   * @param buffer told of each message, in order
   * @param keepAlive the library's probe of the link, or null: it is not probed
   * @param onRoom called when there is room in the buffer again
   */
  PublishWrites(SendBuffer buffer, @Nullable MqttPingHandler keepAlive, Runnable onRoom) {
    this.buffer = buffer;
    this.keepAlive = keepAlive;
    this.onRoom = onRoom;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (!(message instanceof ByteBuf packet)
        || !packet.isReadable()
        || packet.getUnsignedByte(packet.readerIndex()) >> 4 != PUBLISH) {
      var unused = context.write(message, promise);
      return;
    }
    while (packet.readableBytes() > SendBuffer.PIECE_BYTES) {
      context
          .write(packet.readRetainedSlice(SendBuffer.PIECE_BYTES))
          .addListener(
              written -> {
                if (written.isSuccess()) {
                  buffer.moved();
                  onMoved(context);
                }
              });
    }
    context
        .write(packet, promise.unvoid())
        .addListener(
            written -> {
              if (written.isSuccess()) {
                onMoved(context);
                if (buffer.left()) {
                  onRoom.run();
                }
              }
            });
  }

  /**
   * Moving bytes are as good as the answer to a probe. A probe of the library's may wait behind a
   * large message, and it would hang up when that takes as long as the keep-alive.
   */
  private void onMoved(ChannelHandlerContext context) {
    if (keepAlive != null) {
      keepAlive.operationComplete(context.newSucceededFuture());
      keepAlive.channelRead(context, MqttPingResp.INSTANCE);
    }
  }
}
