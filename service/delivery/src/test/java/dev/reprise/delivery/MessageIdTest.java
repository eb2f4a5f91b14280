package dev.reprise.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.testkit.SeededRandom;
import java.util.Locale;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageIdTest {
  private static final long LATEST = (1L << 48) - 1;

  @Property
  void anIdIsAVersionSevenUuidThatTellsItsTime(
      @ForAll @LongRange(min = 0, max = LATEST) long epochMillis, @ForAll long seed) {
    MessageId id = MessageId.create(epochMillis, SeededRandom.of(seed));
    UUID uuid = UUID.fromString(id.toString());
    assertThat(uuid.version()).isEqualTo(7);
    assertThat(uuid.variant()).isEqualTo(2);
    assertThat(id.publishedAtMillis()).isEqualTo(epochMillis);
    assertThat(MessageId.parse(id.toString())).isEqualTo(id);
    assertThat(MessageId.parse(id.toString().toUpperCase(Locale.ROOT))).isEqualTo(id);
  }

  @Property
  void idsSortByTimeAndAsTheirText(
      @ForAll @LongRange(min = 0, max = LATEST) long one,
      @ForAll @LongRange(min = 0, max = LATEST) long other,
      @ForAll long seed) {
    SeededRandom random = SeededRandom.of(seed);
    MessageId first = MessageId.create(one, random);
    MessageId second = MessageId.create(other, random);
    int order = Integer.signum(first.compareTo(second));
    assertThat(order).isEqualTo(Integer.signum(first.toString().compareTo(second.toString())));
    if (one != other) {
      assertThat(order).isEqualTo(Long.compare(one, other));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "01934c5e-7b2a-4c3d-8e4f-5a6b7c8d9e0f",
        "01934c5e7b2a7c3d8e4f5a6b7c8d9e0f",
        "1934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f",
        "01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0g",
        "01934c5e-7b2a-7c3d-8e4f5-a6b7c8d9e0f",
        " 1934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f"
      })
  void whatIsNoIdIsRefusedWithTheRule(String text) {
    assertThatThrownBy(() -> MessageId.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "message id is '"
                + text
                + "': must be a version 7 UUID such as 01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f");
  }

  @Test
  void aTimeThatDoesNotFitIsRefused() {
    SeededRandom random = SeededRandom.of(1);
    for (long wrong : new long[] {-1, LATEST + 1}) {
      assertThatThrownBy(() -> MessageId.create(wrong, random))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("epochMillis is " + wrong + ": must be between 0 and 2^48 - 1");
    }
  }
}
