package dev.reprise.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.server.event.OperatorEvent.DeliveryExhausted;
import dev.reprise.server.event.OperatorEvent.EndpointRecovered;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class TroublesTest {
  private static final MessageId MESSAGE = MessageId.parse("01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f");

  private final List<OperatorEvent> told = new ArrayList<>();
  private boolean full;
  private long nanos;
  private final Troubles troubles = new Troubles(this::take, () -> nanos, () -> 0);

  private boolean take(OperatorEvent event) {
    return !full && told.add(event);
  }

  private static Subscription subscription(long number) {
    return new Subscription(
        number,
        "orders",
        CatalogDocuments.readSettings(
            JsonMapper.shared().readTree("{\"endpoint\":\"https://example.com/\"}"),
            null,
            SecretKeys.NONE),
        0);
  }

  private void gaveUp(long number, StopReason reason) {
    troubles.gaveUp(subscription(number), new GivenUp(number, MESSAGE, 4, reason, "503\nno"));
  }

  private void after(long seconds) {
    nanos += TimeUnit.SECONDS.toNanos(seconds);
    troubles.tell();
  }

  private List<Long> counts() {
    return told.stream()
        .filter(DeliveryExhausted.class::isInstance)
        .map(event -> ((DeliveryExhausted) event).count())
        .toList();
  }

  private long recoveries() {
    return told.stream().filter(EndpointRecovered.class::isInstance).count();
  }

  @Test
  void theFirstIsToldAtOnceAndTheRestOnceAMinute() {
    for (int i = 0; i < 1000; i++) {
      gaveUp(7, StopReason.ATTEMPTS);
    }
    after(59);
    assertThat(counts()).containsExactly(1L);
    after(1);
    assertThat(counts()).containsExactly(1L, 999L);
    after(60);
    gaveUp(7, StopReason.ATTEMPTS);
    assertThat(counts()).as("after a quiet minute it is the first again").hasSize(3);
    DeliveryExhausted last = (DeliveryExhausted) told.get(2);
    assertThat(last.subscription()).isEqualTo("orders-7");
    assertThat(last.last().delivery()).isEqualTo(MESSAGE + "@orders-7");
    assertThat(last.text())
        .isEqualTo(
            "Subscription orders-7 gave up a delivery (ATTEMPTS); the last after 4 attempts: 503"
                + " no");
  }

  @Test
  void eachReasonIsCountedByItself() {
    gaveUp(7, StopReason.ATTEMPTS);
    gaveUp(7, StopReason.DEADLINE);
    gaveUp(7, StopReason.CANCELLED);
    assertThat(told)
        .extracting(event -> ((DeliveryExhausted) event).reason())
        .containsExactly(StopReason.ATTEMPTS, StopReason.DEADLINE);
  }

  @Test
  void tooManySubscriptionsAreToldTogether() {
    for (int i = 1; i <= Troubles.MAX_COUNTS + 50; i++) {
      gaveUp(i, StopReason.ATTEMPTS);
    }
    assertThat(told).hasSize(Troubles.MAX_COUNTS);
    after(60);
    assertThat(told).hasSize(Troubles.MAX_COUNTS + 1);
    DeliveryExhausted others = (DeliveryExhausted) told.get(Troubles.MAX_COUNTS);
    assertThat(others.count()).isEqualTo(50);
    assertThat(others.project()).isEqualTo("default");
    assertThat(others.subscription()).isNull();
  }

  @Test
  void countsWaitWhileNothingCanBeTold() {
    full = true;
    gaveUp(7, StopReason.ATTEMPTS);
    gaveUp(7, StopReason.ATTEMPTS);
    after(60);
    assertThat(told).isEmpty();
    full = false;
    after(1);
    assertThat(counts()).containsExactly(2L);
  }

  @Test
  void recoveryIsToldAfterWhatIsStillCounted() {
    gaveUp(7, StopReason.ATTEMPTS);
    gaveUp(7, StopReason.ATTEMPTS);
    gaveUp(7, StopReason.ATTEMPTS);
    assertThat(troubles.awaits(8)).isFalse();
    assertThat(troubles.awaits(7)).isTrue();
    troubles.delivered(7);
    assertThat(counts()).containsExactly(1L, 2L);
    assertThat(((EndpointRecovered) told.get(2)).givenUp()).isEqualTo(3);
    assertThat(troubles.awaits(7)).isFalse();
  }

  @Test
  void flappingEndpointsRecoverOnceAMinute() {
    for (int i = 0; i < 30; i++) {
      gaveUp(7, StopReason.ATTEMPTS);
      troubles.delivered(7);
      after(1);
    }
    assertThat(recoveries()).isEqualTo(1);
    after(60);
    assertThat(recoveries()).as("it has recovered, though nothing was sent since").isEqualTo(2);
    assertThat(counts().stream().mapToLong(Long::longValue).sum()).isEqualTo(30);
    assertThat(told).hasSizeLessThanOrEqualTo(6);
    after(60);
    assertThat(recoveries()).isEqualTo(2);
  }

  @Test
  void failureAfterUntoldRecoveryTakesItBack() {
    gaveUp(7, StopReason.ATTEMPTS);
    troubles.delivered(7);
    gaveUp(7, StopReason.ATTEMPTS);
    troubles.delivered(7);
    gaveUp(7, StopReason.ATTEMPTS);
    after(60);
    assertThat(recoveries()).isEqualTo(1);
    assertThat(troubles.awaits(7)).isTrue();
  }

  @Test
  void refusedMessagesDoNotMakeAnEndpointFail() {
    gaveUp(7, StopReason.NOT_RETRYABLE);
    gaveUp(7, StopReason.NOT_RETRYABLE);
    troubles.delivered(7);
    assertThat(recoveries()).isZero();
    for (int i = 0; i < Troubles.REFUSALS; i++) {
      gaveUp(7, StopReason.NOT_RETRYABLE);
    }
    troubles.delivered(7);
    assertThat(recoveries()).isEqualTo(1);
  }

  @Test
  void whatIsCountedOfDeletedSubscriptionsIsTold() {
    gaveUp(7, StopReason.ATTEMPTS);
    gaveUp(7, StopReason.ATTEMPTS);
    troubles.forget(7);
    assertThat(counts()).containsExactly(1L, 1L);
    troubles.delivered(7);
    after(60);
    assertThat(told).hasSize(2);
  }

  @Test
  void longTextIsCutBetweenCharacters() {
    String text = "x".repeat(199) + "\uD83D\uDE00".repeat(9);
    assertThat(Troubles.harmless(text)).isEqualTo("x".repeat(199) + "…");
    assertThat(Troubles.harmless("a\nb https://u:p@h/?k=v")).isEqualTo("a b https://h/?…");
  }
}
