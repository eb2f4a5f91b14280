package dev.reprise.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoreSpaceTest {
  private static final long MIB = 1L << 20;

  @Test
  void aDiskSaysWhatIsLeftAndWhatIsMissing() {
    StoreSpace space = new StoreSpace(204_111_872, 256 * MIB, 0, 0);

    assertThat(space.allows(1)).isFalse();
    assertThat(space.text(1000))
        .isEqualTo(
            "the disk has 204,111,872 bytes (195 MiB) left, and publishing leaves 268,435,456 bytes"
                + " (256 MiB) of it free: 64,324,584 bytes (61.3 MiB) more needed");
    assertThat(space.action()).contains("data folder", "dead-letters purge", "--dead-letter-bytes");
  }

  @Test
  void aBoundSaysWhatIsTakenAndWhatIsMissing() {
    StoreSpace space = new StoreSpace(10_000 * MIB, 256 * MIB, 600 * MIB, 512 * MIB);

    assertThat(space.allows(0)).isFalse();
    assertThat(space.text(24))
        .isEqualTo(
            "the store has 629,145,600 bytes (600 MiB), and its bound (store-bytes) is 536,870,912"
                + " bytes (512 MiB): 92,274,712 bytes (88 MiB) more needed");
    assertThat(space.action()).startsWith("Raise --store-bytes");
  }

  @Test
  void nothingIsMissingWhereThereIsRoom() {
    StoreSpace space = new StoreSpace(1000 * MIB, 256 * MIB, 0, 0);

    assertThat(space.allows(744 * MIB)).isTrue();
    assertThat(space.allows(744 * MIB + 1)).isFalse();
    assertThat(space.text(1)).isEqualTo("the disk has 1,048,576,000 bytes (1,000 MiB) left");
  }
}
