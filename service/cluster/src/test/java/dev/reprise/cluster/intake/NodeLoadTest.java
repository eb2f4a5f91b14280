package dev.reprise.cluster.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeLoadTest {
  private static final int LONG = 100;
  private double busy;

  private static double after(int looks, NodeLoad load, long beganNanos) {
    double pressure = 0;
    for (int look = 1; look <= looks; look++) {
      pressure = load.pressure(beganNanos + look * NodeLoad.LOOK_NANOS);
    }
    return pressure;
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0.3, 0", "0.5, 0", "0.6, 0.5", "0.7, 1", "1, 1", "1.7, 1"})
  void pressureGrowsWithWhatIsUsed(double used, double pressure) {
    assertThat(after(LONG, new NodeLoad(() -> used, 0), 0)).isCloseTo(pressure, within(1e-6));
  }

  @Test
  void aMomentIsNoPressure() {
    NodeLoad load = new NodeLoad(() -> busy, 0);
    busy = 0.3;
    after(LONG, load, 0);
    busy = 1;

    assertThat(after(1, load, LONG * NodeLoad.LOOK_NANOS)).isZero();
    assertThat(after(20, load, (LONG + 1) * NodeLoad.LOOK_NANOS)).isEqualTo(1);
  }

  @Test
  void pressureEndsWithTheLoad() {
    NodeLoad load = new NodeLoad(() -> busy, 0);
    busy = 1;
    after(LONG, load, 0);
    busy = 0.1;

    assertThat(after(20, load, LONG * NodeLoad.LOOK_NANOS)).isZero();
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NaN})
  void whatIsNotKnownIsNoPressure(double unknown) {
    assertThat(after(LONG, new NodeLoad(() -> unknown, 0), 0)).isZero();
  }

  @Test
  void aMachineThatDoesNotTellLeavesWhatWasKnown() {
    NodeLoad load = new NodeLoad(() -> busy, 0);
    busy = 1;
    after(LONG, load, 0);
    busy = -1;

    assertThat(after(LONG, load, LONG * NodeLoad.LOOK_NANOS)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 1_000, Long.MIN_VALUE})
  void theMachineIsAskedNowAndThen(long beganNanos) {
    AtomicInteger asked = new AtomicInteger();
    DoubleSupplier counting =
        () -> {
          asked.incrementAndGet();
          return 0;
        };
    NodeLoad load = new NodeLoad(counting, beganNanos);

    for (int call = 0; call < 1000; call++) {
      load.pressure(beganNanos + 4L * call * NodeLoad.LOOK_NANOS / 1000);
    }
    assertThat(asked).hasValue(3);
  }

  @Test
  void thisMachineTells() {
    NodeLoad load = NodeLoad.ofMachine();

    assertThat(load.pressure(System.nanoTime() + NodeLoad.LOOK_NANOS)).isBetween(0.0, 1.0);
  }
}
