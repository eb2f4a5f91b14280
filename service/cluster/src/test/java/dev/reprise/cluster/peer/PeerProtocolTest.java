package dev.reprise.cluster.peer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.IgnoredReply;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.delivery.IdempotencyConflictException;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.shard.ShardInput;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class PeerProtocolTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final MessageId MESSAGE = new MessageId(1, 2);

  private static PeerProtocol.Request reserving() {
    return PeerProtocol.Request.reserving(
        7,
        new ShardInput.Reserve(
            KEY, 99, new ShardInput.Keyed(MESSAGE, List.of(1, 2, 3)), new IgnoredReply<>()));
  }

  private static PeerProtocol.Request telling() {
    return PeerProtocol.Request.telling(
        3, new PeerProtocol.Report("group", "id", true, 550, "no such mailbox", 12345));
  }

  @Test
  void requestsAreReadAsWritten() {
    PeerProtocol.Request reading =
        PeerProtocol.decode(
            PeerProtocol.encode(
                PeerProtocol.Request.reading(PeerProtocol.RANGE, 5, KEY, new byte[0])));
    assertThat(reading.kind()).isEqualTo(PeerProtocol.RANGE);
    assertThat(reading.shard()).isEqualTo(5);
    assertThat(reading.from()).isEqualTo(KEY);
    assertThat(reading.to()).isEmpty();

    PeerProtocol.Request reserve = PeerProtocol.decode(PeerProtocol.encode(reserving()));
    assertThat(reserve.proposed()).isEqualTo(reserving().proposed());
    assertThat(reserve.fingerprint()).isEqualTo(99);

    PeerProtocol.Request report = PeerProtocol.decode(PeerProtocol.encode(telling()));
    assertThat(report.report()).isEqualTo(telling().report());
  }

  @Test
  void answersAreReadAsWritten() {
    ShardInput.Reserved reserved = new ShardInput.Reserved(MESSAGE, List.of(4), true);
    assertThat(PeerProtocol.readReserved(7, PeerProtocol.reserved(reserved))).isEqualTo(reserved);
    assertThat(PeerProtocol.isKnown(7, PeerProtocol.known(true))).isTrue();
    assertThatThrownBy(() -> PeerProtocol.value(7, PeerProtocol.elsewhere()))
        .isInstanceOf(ShardElsewhereException.class);
    byte[] conflict = PeerProtocol.conflict(new IdempotencyConflictException(MESSAGE));
    assertThatThrownBy(() -> PeerProtocol.readReserved(7, conflict))
        .isInstanceOf(IdempotencyConflictException.class);
  }

  @Test
  void everyRequestThatIsCutIsRefused() {
    for (PeerProtocol.Request request : List.of(reserving(), telling())) {
      byte[] whole = PeerProtocol.encode(request);
      for (int length = 0; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        assertThatThrownBy(() -> PeerProtocol.decode(cut)).isInstanceOf(ClusterException.class);
      }
    }
  }

  @Test
  void everyAnswerThatIsCutIsRefused() {
    byte[] reserved = PeerProtocol.reserved(new ShardInput.Reserved(MESSAGE, List.of(4, 5), false));
    for (int length = 0; length < reserved.length; length++) {
      byte[] cut = Arrays.copyOf(reserved, length);
      assertThatThrownBy(() -> PeerProtocol.readReserved(7, cut))
          .isInstanceOf(ClusterException.class);
      assertThatThrownBy(() -> PeerProtocol.page(7, Arrays.copyOf(cut, Math.min(2, cut.length))))
          .isInstanceOf(ClusterException.class);
    }
  }

  @Property
  void damageIsReadOrRefusedAndNeverHangs(@ForAll long seed, @ForAll byte[] noise) {
    Random random = new Random(seed);
    byte[] request = PeerProtocol.encode(random.nextBoolean() ? reserving() : telling());
    byte[] answer = PeerProtocol.reserved(new ShardInput.Reserved(MESSAGE, List.of(4), true));
    for (byte[] each : List.of(request, answer, noise)) {
      byte[] damaged = each.clone();
      for (int i = 0; i < 3 && damaged.length > 0; i++) {
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      }
      readOrRefused(damaged, PeerProtocol::decode);
      readOrRefused(damaged, bytes -> PeerProtocol.readReserved(7, bytes));
      readOrRefused(damaged, bytes -> PeerProtocol.page(7, bytes));
      readOrRefused(damaged, bytes -> PeerProtocol.value(7, bytes));
      readOrRefused(damaged, bytes -> PeerProtocol.isKnown(7, bytes));
    }
  }

  private static void readOrRefused(byte[] bytes, Consumer<byte[]> reading) {
    try {
      reading.accept(bytes);
    } catch (ClusterException
        | ShardElsewhereException
        | IdempotencyConflictException
        | NoSubscriptionException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  @Test
  void otherVersionsAndKindsAreNamed() {
    byte[] later = PeerProtocol.encode(telling());
    later[0] = 9;
    assertThatThrownBy(() -> PeerProtocol.decode(later))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("version 9");
    byte[] unknown = PeerProtocol.encode(telling());
    unknown[1] = 42;
    assertThatThrownBy(() -> PeerProtocol.decode(unknown))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("kind 42");
    byte[] odd = PeerProtocol.known(true);
    odd[1] = 17;
    assertThatThrownBy(() -> PeerProtocol.isKnown(0, odd))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("status 17");
  }
}
