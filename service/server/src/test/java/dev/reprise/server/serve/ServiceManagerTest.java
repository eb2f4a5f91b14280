package dev.reprise.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The times of the signs of life; that they arrive is in SystemdTest of dist. */
class ServiceManagerTest {
  @Test
  void beatsTwiceInTheTimeOfTheWatchdog() {
    assertThat(ServiceManager.beat(Map.of("WATCHDOG_USEC", "120000000"), 7))
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(ServiceManager.beat(Map.of("WATCHDOG_USEC", "3000", "WATCHDOG_PID", "7"), 7))
        .isEqualTo(Duration.ofNanos(1_500_000));
  }

  @Test
  void beatsForNoOtherProcessAndForNoWatchdog() {
    assertThat(ServiceManager.beat(Map.of("WATCHDOG_USEC", "3000", "WATCHDOG_PID", "8"), 7))
        .isNull();
    assertThat(ServiceManager.beat(Map.of("WATCHDOG_PID", "7"), 7)).isNull();
    assertThat(ServiceManager.beat(Map.of("WATCHDOG_USEC", "0"), 7)).isNull();
    assertThat(ServiceManager.beat(Map.of("WATCHDOG_USEC", "soon"), 7)).isNull();
  }

  @Test
  void asksNothingWithoutSystemd() {
    ServiceManager absent = ServiceManager.of(Map.of("WATCHDOG_USEC", "3000"));

    absent.watch(most -> true);
    absent.stopping();

    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().equals("reprise-watchdog"));
  }
}
