package dev.reprise.delivery.catalog;

import dev.reprise.delivery.AttributeFilter;
import dev.reprise.policy.NotificationPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a subscription.
 *
 * @param endpoint the URL that is posted to
 * @param format what the endpoint is sent
 * @param policy the subscription's own policy; null if it has none
 * @param filter which messages it wants
 * @param deadLetters what happens to a delivery that is given up
 * @param lifetime how long a delivery may take, all waiting included; null for ever
 * @param maxInFlight the most attempts at the same time, 1 to {@value #MAX_IN_FLIGHT}
 */
public record SubscriptionSettings(
    String endpoint,
    BodyFormat format,
    @Nullable NotificationPolicy policy,
    AttributeFilter filter,
    DeadLetters deadLetters,
    @Nullable Duration lifetime,
    int maxInFlight) {
  /** The default of {@link #maxInFlight}. */
  public static final int DEFAULT_IN_FLIGHT = 64;

  /** The largest {@link #maxInFlight}. */
  public static final int MAX_IN_FLIGHT = 1000;

  /** Settings for {@code endpoint} with the default for everything else. */
  public static SubscriptionSettings of(String endpoint) {
    return new SubscriptionSettings(
        endpoint,
        BodyFormat.ENVELOPE,
        null,
        AttributeFilter.ALL,
        DeadLetters.KEEP,
        null,
        DEFAULT_IN_FLIGHT);
  }
}
