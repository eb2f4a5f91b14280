package dev.reprise.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.host.ClockState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServiceWatchTest {
  private final List<String> told = new ArrayList<>();
  private final Map<String, CarrierState> carriers = new HashMap<>();
  private boolean low;
  private ClockState clock = new ClockState(ClockState.Course.AGREES, 0, 0, 0, 0, 0);
  private final Map<String, OperatorEvent.EndpointHeld> holds = new HashMap<>();
  private long nanos;
  private final ServiceWatch watch =
      new ServiceWatch(
          () -> carriers,
          () -> holds,
          wasLow -> new ServiceWatch.Disk(low, "7 bytes left", "make room", 7, 9, 0),
          new ServiceWatch.Clock("one", () -> clock),
          () -> nanos,
          event -> told.add(event.text()));

  private void look(long afterSeconds, String fault) {
    nanos += TimeUnit.SECONDS.toNanos(afterSeconds);
    carriers.put("mail", new CarrierState(fault, 0, 0, 0));
    watch.look();
  }

  @Test
  void aCarrierThatComesAndGoesIsDownOnceAMinute() {
    for (int i = 0; i < 30; i++) {
      look(1, "no answer");
      look(1, null);
    }
    look(1, "refused");
    assertThat(told)
        .containsExactly(
            "Carrier mail is down, and its deliveries wait: no answer",
            "Carrier mail works again",
            "Carrier mail is down, and its deliveries wait: refused");
    carriers.clear();
    watch.look();
    assertThat(told).as("it was deleted").hasSize(3);
  }

  @Test
  void anEndpointThatIsHeldIsToldOnce() {
    holds.put(
        "a",
        new OperatorEvent.EndpointHeld(
            "default", "orders", "orders-1", null, "403", 10, "refuses everything alike: 403"));
    for (int i = 0; i < 5; i++) {
      watch.look();
    }
    holds.clear();
    watch.look();
    nanos += TimeUnit.MINUTES.toNanos(2);
    watch.look();
    assertThat(told)
        .containsExactly("The endpoint of subscription orders-1 refuses everything alike: 403");
  }

  @Test
  void theClockIsToldWhenItIsOffAndWhenItAgreesAgain() {
    watch.look();
    clock = new ClockState(ClockState.Course.UNPROVEN, -300_000, 6_000, -300_000, 0, 0);
    watch.look();
    watch.look();
    clock = new ClockState(ClockState.Course.AGREES, 0, 0, -300_000, 120_000, 300_000);
    watch.look();
    watch.look();
    assertThat(told)
        .containsExactly(
            "Node one: the service's clock is 300.0 s behind the system's, for 6 s now; it follows"
                + " if that lasts for two minutes",
            "Node one: the service's clock and the system's agree again after 120 s; it was up to"
                + " 300.0 s behind and was set ahead by 300.0 s");
  }

  @Test
  void theDiskIsToldWhenItChanges() {
    watch.look();
    low = true;
    watch.look();
    watch.look();
    low = false;
    watch.look();
    assertThat(told)
        .containsExactly(
            "Publishes are refused: 7 bytes left", "Publishes are accepted again: 7 bytes left");
  }
}
