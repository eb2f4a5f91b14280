package dev.reprise.server.event;

import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.ClockState;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreSpace;
import java.util.List;
import java.util.Map;

/**
 * The state of the parts of this process that all deliveries share. Operator events and the list of
 * troubles both take it from here, so that they do not disagree. Safe for use by many threads.
 */
public final class ServiceFacts {
  /** So much must be free above reserve and bound before space counts as not low any more. */
  private static final long ROOM_AGAIN_BYTES = 16L << 20;

  private final DeliveryEngine engine;
  private final Carriers carriers;

  /** The facts of an engine and of the carriers that it uses. */
  public ServiceFacts(DeliveryEngine engine, Carriers carriers) {
    this.engine = engine;
    this.carriers = carriers;
  }

  /** Returns the states of all carriers, by name. */
  public Map<String, CarrierState> carriers() {
    return carriers.states();
  }

  /**
   * Returns what waits because everything before it was refused alike, but for carriers, which are
   * at fault then.
   */
  public List<RefusalHold> held() {
    return engine.held().stream()
        .filter(
            hold ->
                hold.subscription() != 0
                    || !hold.group().startsWith(SubscriptionSettings.groupOf("")))
        .toList();
  }

  /**
   * Looks at the space for what is stored.
   *
   * @param wasLow whether it was low as last reported, so that a little more does not end that
   */
  public ServiceWatch.Disk disk(boolean wasLow) {
    RocksStore store = engine.store();
    // A disk that was short for a moment, and has its reserve again, refuses nothing.
    boolean isLow =
        wasLow
            ? store.diskIsShort() || !store.hasSpaceFor(ROOM_AGAIN_BYTES)
            : !store.hasSpaceFor(1);
    StoreSpace space = store.space();
    return new ServiceWatch.Disk(
        isLow,
        space.text(1),
        space.action(),
        space.freeBytes(),
        space.reserveBytes(),
        isLow ? store.diskShortSinceMillis() : 0);
  }

  /** Returns the clock by which the service works. */
  public ClockState clock() {
    return engine.clock();
  }
}
