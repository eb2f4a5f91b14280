package dev.reprise.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WrongKeysTest {
  private long nanos;
  private final WrongKeys wrong = new WrongKeys(() -> nanos);

  @Test
  void wrongKeysAreBoundedByAddress() {
    for (int i = 0; i < WrongKeys.MAX_A_MINUTE; i++) {
      wrong.add("192.0.2.1", null);
    }
    assertThatThrownBy(() -> wrong.add("192.0.2.1", null)).hasMessageContaining("wait a minute");
    wrong.add("192.0.2.2", null);
    nanos += TimeUnit.MINUTES.toNanos(1);
    wrong.add("192.0.2.1", null);
  }

  @Test
  void wrongKeysAreBoundedByKey() {
    for (int i = 0; i < WrongKeys.MAX_A_MINUTE; i++) {
      wrong.add("192.0.2." + i, "0123456789ab");
    }
    assertThatThrownBy(() -> wrong.add("192.0.2.77", "0123456789ab"))
        .hasMessageContaining("wait a minute");
    wrong.add("192.0.2.77", "ba9876543210");
  }

  @Test
  void manyAddressesDoNotFillTheMemory() {
    for (int i = 0; i < 20_000; i++) {
      wrong.add("10.0." + i / 256 + "." + i % 256, "key" + i);
    }
    assertThat(wrong.remembered()).isEqualTo(WrongKeys.MAX_REMEMBERED);
  }
}
