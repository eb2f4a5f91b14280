package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GivenUpSeriesTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final CounterFromZero.Maker counters =
      new CounterFromZero.Maker(registry, Duration.ZERO, () -> 0);

  @Test
  void everySeriesIsThereAtZeroBeforeTheFirstFailure() {
    GivenUpSeries series = new GivenUpSeries(counters, 10);
    assertThat(scrape()).isEqualTo(Map.of("(other)", 0));
    series.begin(List.of("a-1", "b-1"));
    assertThat(scrape()).isEqualTo(Map.of("(other)", 0, "a-1", 0, "b-1", 0));
    series.gaveUp("a-1");
    assertThat(scrape()).isEqualTo(Map.of("(other)", 0, "a-1", 1, "b-1", 0));
  }

  @Test
  void subscriptionsBeyondTheBoundAreCountedTogether() {
    GivenUpSeries series = new GivenUpSeries(counters, 2);
    List<String> ids = List.of("a-1", "b-1", "c-1", "d-1");
    series.begin(ids);
    scrape();
    ids.forEach(series::gaveUp);
    series.begin(ids);
    assertThat(scrape()).isEqualTo(Map.of("a-1", 1, "b-1", 1, "(other)", 2));
  }

  @Test
  void withABoundOfNoneNoSubscriptionIsNamed() {
    GivenUpSeries series = new GivenUpSeries(counters, 0);
    series.begin(List.of("a-1"));
    scrape();
    series.gaveUp("a-1");
    assertThat(scrape()).isEqualTo(Map.of("(other)", 1));
  }

  @Test
  void theSumDoesNotFallWithADeletedSubscription() {
    GivenUpSeries series = new GivenUpSeries(counters, 2);
    series.begin(List.of("a-1", "b-1", "c-1"));
    scrape();
    series.gaveUp("a-1");
    series.gaveUp("c-1");

    // b-1 has counted nothing and leaves its place; c-1 goes on there, and stays in (other) too.
    series.begin(List.of("c-1"));
    assertThat(scrape()).isEqualTo(Map.of("a-1", 1, "(other)", 1, "c-1", 0));
    series.gaveUp("c-1");
    assertThat(scrape()).isEqualTo(Map.of("a-1", 1, "(other)", 1, "c-1", 1));
  }

  @Test
  void aDeletedSubscriptionLeavesItsPlaceToOneThatExists() {
    GivenUpSeries series = new GivenUpSeries(counters, 2);
    series.begin(List.of("a-1", "b-1"));
    scrape();
    series.gaveUp("a-1");
    series.gaveUp("b-1");
    series.begin(List.of("b-1"));
    assertThat(scrape()).isEqualTo(Map.of("a-1", 1, "b-1", 1, "(other)", 0));

    series.begin(List.of("b-1", "c-1", "d-1"));
    assertThat(scrape()).isEqualTo(Map.of("b-1", 1, "c-1", 0, "(other)", 0));
  }

  private Map<String, Integer> scrape() {
    return registry.find("reprise.deliveries.given.up").functionCounters().stream()
        .collect(
            Collectors.toMap(
                each -> String.valueOf(each.getId().getTag("subscription")),
                each -> (int) each.count()));
  }
}
