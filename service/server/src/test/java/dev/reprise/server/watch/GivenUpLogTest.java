package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.MessageId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GivenUpLogTest {
  private static final MessageId MESSAGE = MessageId.parse("01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f");

  private final List<String> lines = new ArrayList<>();
  private long nanos;
  private final GivenUpLog log =
      new GivenUpLog((text, subscription, last) -> lines.add(text), () -> nanos);

  private void gaveUp(String subscription) {
    log.gaveUp(
        subscription, new GivenUp(7, MESSAGE, 4, StopReason.ATTEMPTS, "HTTP 503\nINFO fine"));
  }

  private void after(long seconds) {
    nanos += TimeUnit.SECONDS.toNanos(seconds);
    log.tell();
  }

  @Test
  void theFirstIsToldAtOnceAndTheRestCountedOnceAMinute() {
    gaveUp("orders-1");
    gaveUp("orders-1");
    gaveUp("orders-1");
    after(59);
    assertThat(lines)
        .containsExactly(
            "subscription orders-1 gave up a delivery: message "
                + MESSAGE
                + ", attempts after 4 attempts (HTTP 503 INFO fine)");

    after(1);
    gaveUp("orders-1");
    after(59);
    assertThat(lines)
        .hasSize(2)
        .last()
        .asString()
        .startsWith("subscription orders-1 gave up 2 more deliveries; the last: message ");
    after(1);
    assertThat(lines)
        .hasSize(3)
        .last()
        .asString()
        .startsWith("subscription orders-1 gave up 1 more delivery; ");

    after(60);
    gaveUp("orders-1");
    assertThat(lines).as("after a quiet minute it is the first again").hasSize(4);
  }

  @Test
  void moreSubscriptionsThanAreRememberedAreToldTogether() {
    for (int i = 0; i < GivenUpLog.MAX_SUBSCRIPTIONS + 50; i++) {
      gaveUp("orders-" + i);
    }
    assertThat(lines).hasSize(GivenUpLog.MAX_SUBSCRIPTIONS);

    after(60);
    assertThat(lines)
        .hasSize(GivenUpLog.MAX_SUBSCRIPTIONS + 1)
        .last()
        .asString()
        .startsWith("other subscriptions gave up 50 more deliveries; ");
  }
}
