package dev.reprise.device.transport.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.fixture.ArtemisBroker;
import dev.reprise.device.message.Message;
import java.time.Duration;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The ttl in the header of an AMQP message (AMQP 1.0 part 3, section 3.2.1). */
final class AmqpTimeToLiveTest {
  private static Header header(Message message, long waitedNanos) {
    ProtonBuffer bytes = MessageCodec.ofThisLoop().encode(message, waitedNanos);
    Decoder decoder = CodecFactory.getDefaultDecoder();
    return decoder.readObject(bytes, decoder.newDecoderState(), Header.class);
  }

  private static long ttlMillis(Duration timeToLive, long waitedNanos) {
    return header(Message.builder().timeToLive(timeToLive).build(), waitedNanos).getTimeToLive();
  }

  @Test
  void theTtlIsRoundedUpAndNeverZero() {
    assertThat(ttlMillis(Duration.ofNanos(1), 0)).isEqualTo(1);
    assertThat(ttlMillis(Duration.ofSeconds(5), 0)).isEqualTo(5_000);
    assertThat(ttlMillis(Duration.ofNanos(5_000_001), 0)).isEqualTo(6);
  }

  @Test
  void theTimeInTheClientIsNotLeftAnyMore() {
    assertThat(ttlMillis(Duration.ofSeconds(5), 1_500_000_000)).isEqualTo(3_500);
    assertThat(ttlMillis(Duration.ofSeconds(5), 7_000_000_000L)).isEqualTo(1);
  }

  @Test
  void aMessageWithoutALimitSaysNone() {
    assertThat(header(Message.of("x"), 0).hasTimeToLive()).isFalse();
    Message longer = Message.builder().timeToLive(Duration.ofDays(50)).build();
    assertThat(header(longer, 0).hasTimeToLive()).isFalse();
  }

  @Test
  @Tag("slow")
  void theBrokerIsToldTheTtl() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry");
        Device device =
            Device.connect(
                    AmqpSettings.builder("127.0.0.1", "telemetry").port(broker.amqpPort()).build())
                .ready()) {
      Message message = Message.builder().timeToLive(Duration.ofHours(1)).build();
      assertThat(device.outcome(message)).isEmpty();
      assertThat(broker.read("telemetry").get(0).ttlMillis()).isBetween(1L, 3_600_000L);
    }
  }
}
