package dev.reprise.cluster.intake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.delivery.MessageId;
import java.util.Arrays;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class IntakeRecordTest {
  @Property
  void aRecordIsReadAsWritten(
      @ForAll long catalogVersion,
      @ForAll long high,
      @ForAll long low,
      @ForAll boolean keyed,
      @ForAll long[] subscriptions,
      @ForAll byte[] payload) {
    MessageId message = new MessageId(high, low);
    byte[] value =
        new IntakeRecord(catalogVersion, message, keyed, subscriptions, payload).encode();

    IntakeRecord read = Objects.requireNonNull(IntakeRecord.decode(value));
    assertThat(read.catalogVersion()).isEqualTo(catalogVersion);
    assertThat(read.message()).isEqualTo(message);
    assertThat(read.keyed()).isEqualTo(keyed);
    assertThat(read.subscriptions()).isEqualTo(subscriptions);
    assertThat(read.payload()).isEqualTo(payload);
  }

  @Property
  void oneThatIsCutIsDamagedOrHasLessPayload(
      @ForAll long[] subscriptions, @ForAll byte[] payload, @ForAll @IntRange(max = 400) int cut) {
    MessageId message = MessageId.of(1, 2, 3);
    byte[] value = new IntakeRecord(7, message, true, subscriptions, payload).encode();
    int length = Math.max(0, value.length - cut);
    byte[] head = Arrays.copyOf(value, length);

    if (length < value.length - payload.length) {
      assertThatThrownBy(() -> IntakeRecord.decode(head)).isInstanceOf(ClusterException.class);
    } else {
      IntakeRecord read = Objects.requireNonNull(IntakeRecord.decode(head));
      assertThat(read.subscriptions()).isEqualTo(subscriptions);
      assertThat(read.payload()).isEqualTo(Arrays.copyOf(payload, read.payload().length));
    }
  }

  @Property
  void garbageIsARecordOrRefused(@ForAll byte[] garbage, @ForAll boolean hasVersion) {
    if (hasVersion && garbage.length > 1) {
      garbage[0] = IntakeRecord.VERSION;
      garbage[1] &= 3;
    }
    try {
      IntakeRecord read = IntakeRecord.decode(garbage);
      if (read != null) {
        assertThat(read.encode()).hasSameSizeAs(garbage);
      }
    } catch (ClusterException e) {
      assertThat(e).hasMessageStartingWith("record of intake ");
    }
  }

  @Test
  void aProbeSaysNothing() {
    assertThat(IntakeRecord.decode(IntakeRecord.probe())).isNull();
  }

  @Test
  void aVersionToComeIsKnownByTheHeaderAlone() {
    for (byte version = 2; version > 0; version++) {
      byte[] mark = {version, 7};
      assertThat(newerVersion(mark)).isEqualTo(version);
    }
    assertThat(newerVersion(IntakeRecord.HEADERS.get(0).value())).isZero();
    for (byte[] mark : new byte[][] {null, {}, {0}, {-1, 2}, {1, 9}}) {
      assertThat(newerVersion(mark)).isZero();
    }
    assertThat(IntakeRecord.newerVersion(new RecordHeaders())).isZero();
  }

  private static int newerVersion(byte[] mark) {
    return IntakeRecord.newerVersion(new RecordHeaders().add(IntakeRecord.NODE, mark));
  }

  @Test
  void whatBeginsWithAnotherByteIsNone() {
    for (String text :
        new String[] {
          "", "\t", "\n", "{\"a\":1}", "<a/>", "\0", "\b", "text", "\2\3", "\3", "\7"
        }) {
      byte[] value = text.getBytes(UTF_8);
      assertThatThrownBy(() -> IntakeRecord.decode(value)).isInstanceOf(ClusterException.class);
    }
  }
}
