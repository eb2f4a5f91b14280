package dev.reprise.common.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BarsTest {
  @Test
  void aBarFillsItsCellsFromBelow() {
    assertThat(bar(0, 3)).isEqualTo("0 0 0");
    assertThat(bar(0.5, 3)).isEqualTo("8 4 0");
    assertThat(bar(1, 3)).isEqualTo("8 8 8");
    assertThat(bar(1e-6, 3)).as("not nothing").isEqualTo("1 0 0");
  }

  private static String bar(double share, int rows) {
    return IntStream.rangeClosed(1, rows)
        .mapToObj(row -> String.valueOf(Bars.eighths(share, row, rows)))
        .collect(Collectors.joining(" "));
  }

  @Property
  void theCellsOfABarAddUp(
      @ForAll @DoubleRange(min = 0, max = 1) double share,
      @ForAll @IntRange(min = 1, max = 20) int rows) {
    int sum = IntStream.rangeClosed(1, rows).map(row -> Bars.eighths(share, row, rows)).sum();

    assertThat(sum).isEqualTo(Math.max(share > 0 ? 1 : 0, (int) Math.round(share * rows * 8)));
  }

  @Test
  void cellsAreBlocksOrAscii() {
    StringBuilder blocks = new StringBuilder();
    StringBuilder ascii = new StringBuilder();
    for (int eighths = 0; eighths <= Bars.FULL; eighths++) {
      blocks.append(Bars.block(eighths));
      ascii.append(Bars.ascii(eighths));
    }
    assertThat(blocks).hasToString(" ▁▂▃▄▅▆▇█");
    assertThat(ascii).hasToString(" ...:::##");
  }

  @Test
  void aLineIsFullOnlyWhereTheShareIsWhole() {
    assertThat(Bars.line(0, 1e-6, 0.5, 0.999, 1 - 1e-12, 1)).isEqualTo(" ▁▄▇██");
    assertThat(Bars.line()).isEmpty();
  }
}
