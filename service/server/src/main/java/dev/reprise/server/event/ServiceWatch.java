package dev.reprise.server.event;

import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.host.ClockState;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what belongs to the whole service, carriers, disk and clock, and reports changes. A
 * state that begins and ends between two looks is not reported. Not safe for use by several
 * threads.
 */
public final class ServiceWatch {
  private final Supplier<Map<String, CarrierState>> carriers;
  private final Supplier<Map<String, OperatorEvent.EndpointHeld>> holds;
  private final Space space;
  private final LongSupplier nanoTime;
  private final Consumer<OperatorEvent> out;
  private final Map<String, Alarm> carrierAlarms = new HashMap<>();
  private final Map<String, Alarm> holdAlarms = new HashMap<>();
  private final Alarm diskAlarm = new Alarm();
  private final Clock clock;
  private final Alarm clockAlarm = new Alarm();

  /** By how much the clock had followed the system's when it was reported as off. */
  private long followedMillis;

  /**
   * The clock by which the service works.
   *
   * @param node of a cluster whose clock it is; null for a single service
   */
  record Clock(@Nullable String node, Supplier<ClockState> state) {}

  /** The space for what is stored. */
  interface Space {
    /**
     * Looks how it is now.
     *
     * @param wasLow whether it was low as last reported, so that a little more does not end that
     */
    Disk look(boolean wasLow);
  }

  /**
   * The space at one moment.
   *
   * @param isLow whether publishes are refused for want of it
   * @param detail what is left, and what is missing, for people
   * @param action what makes room, for people
   * @param sinceMillis since when it is low, wall time; 0 if that is not known
   */
  public record Disk(
      boolean isLow,
      String detail,
      String action,
      long freeBytes,
      long reserveBytes,
      long sinceMillis) {}

  ServiceWatch(
      Supplier<Map<String, CarrierState>> carriers,
      Supplier<Map<String, OperatorEvent.EndpointHeld>> holds,
      Space space,
      Clock clock,
      LongSupplier nanoTime,
      Consumer<OperatorEvent> out) {
    this.carriers = carriers;
    this.holds = holds;
    this.space = space;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.out = out;
  }

  /** Looks once. */
  void look() {
    long now = nanoTime.getAsLong();
    lookAtDisk(now);
    lookAtClock(now);
    Map<String, CarrierState> states = carriers.get();
    carrierAlarms.keySet().retainAll(states.keySet());
    states.forEach((name, state) -> lookAtCarrier(name, state, now));
    Map<String, OperatorEvent.EndpointHeld> held = holds.get();
    // The end of a hold is reported as a recovery of the endpoint, or was requested.
    holdAlarms.values().removeIf(alarm -> alarm.isOver(now));
    holdAlarms.forEach(
        (key, alarm) -> {
          if (!held.containsKey(key)) {
            alarm.isNews(false, now);
          }
        });
    held.forEach(
        (key, event) -> {
          if (holdAlarms.computeIfAbsent(key, k -> new Alarm()).isNews(true, now)) {
            out.accept(event);
          }
        });
  }

  private void lookAtDisk(long nowNanos) {
    Disk now = space.look(diskAlarm.told());
    if (diskAlarm.isNews(now.isLow(), nowNanos)) {
      String project = Topic.DEFAULT_PROJECT;
      out.accept(
          now.isLow()
              ? new OperatorEvent.DiskLow(
                  project, now.detail(), now.freeBytes(), now.reserveBytes())
              : new OperatorEvent.DiskRecovered(
                  project, now.detail(), now.freeBytes(), now.reserveBytes()));
    }
  }

  private void lookAtClock(long nowNanos) {
    ClockState now = clock.state().get();
    if (!clockAlarm.isNews(now.differs(), nowNanos)) {
      return;
    }
    String project = Topic.DEFAULT_PROJECT;
    if (now.differs()) {
      followedMillis = now.followedMillis();
      out.accept(new OperatorEvent.ClockOff(project, clock.node(), now.aheadMillis(), now.text()));
    } else {
      out.accept(
          new OperatorEvent.ClockRecovered(
              project,
              clock.node(),
              now.mostMillis(),
              now.lastedMillis(),
              now.endText(followedMillis)));
    }
  }

  private void lookAtCarrier(String name, CarrierState state, long nowNanos) {
    String fault = state.fault();
    if (carrierAlarms.computeIfAbsent(name, key -> new Alarm()).isNews(fault != null, nowNanos)) {
      String project = Topic.DEFAULT_PROJECT;
      out.accept(
          fault == null
              ? new OperatorEvent.CarrierRecovered(project, name)
              : new OperatorEvent.CarrierDown(project, name, Troubles.harmless(fault)));
    }
  }
}
