package dev.reprise.device.transport.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.internal.mqtt.handler.ping.MqttPingHandler;
import dev.reprise.device.transport.SendBuffer;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which writes show that the link works. */
class PublishWritesTest {
  /** Counts what is taken for an answer of the other side. */
  private static final class Answers extends MqttPingHandler {
    private int count;

    Answers() {
      super(60, 0, 0);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      count++;
    }
  }

  /** The system takes a small message at once, whether or not the other side is there. */
  @ParameterizedTest
  @CsvSource({"0, 100, 0", "999, 100, 0", "1000, 100, 1", "1000, 50000, 4"})
  void onlyWhatHadToWaitForTheLinkSaysThatItMoves(int millis, int bytes, int answers) {
    long[] nanos = {Long.MAX_VALUE - 5};
    Answers seen = new Answers();
    SendBuffer buffer = new SendBuffer();
    EmbeddedChannel channel =
        new EmbeddedChannel(new PublishWrites(buffer, seen, () -> {}, () -> nanos[0]));
    byte[] packet = new byte[bytes];
    packet[0] = 0x32;
    var written = channel.write(Unpooled.wrappedBuffer(packet));
    nanos[0] += Duration.ofMillis(millis).toNanos();
    channel.flush();
    assertThat(written.isSuccess()).isTrue();
    assertThat(seen.count).isEqualTo(answers);
    channel.finishAndReleaseAll();
  }
}
