package dev.reprise.server.event;

import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.catalog.Topic;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Looks at what belongs to the whole service, carriers and disk, and tells when it changes. What
 * comes and goes between two looks is not told. Not safe for use by several threads.
 */
final class ServiceWatch {
  private final Supplier<Map<String, CarrierState>> carriers;
  private final Supplier<Disk> disk;
  private final LongSupplier nanoTime;
  private final Consumer<OperatorEvent> out;
  private final Map<String, Alarm> carrierAlarms = new HashMap<>();
  private final Alarm diskAlarm = new Alarm();

  /**
   * The disk at one moment.
   *
   * @param isLow whether publishes are refused, or were until little room came
   */
  record Disk(boolean isLow, long freeBytes, long reserveBytes) {}

  ServiceWatch(
      Supplier<Map<String, CarrierState>> carriers,
      Supplier<Disk> disk,
      LongSupplier nanoTime,
      Consumer<OperatorEvent> out) {
    this.carriers = carriers;
    this.disk = disk;
    this.nanoTime = nanoTime;
    this.out = out;
  }

  /** Looks once. */
  void look() {
    long now = nanoTime.getAsLong();
    lookAtDisk(now);
    Map<String, CarrierState> states = carriers.get();
    carrierAlarms.keySet().retainAll(states.keySet());
    states.forEach((name, state) -> lookAtCarrier(name, state, now));
  }

  private void lookAtDisk(long nowNanos) {
    Disk now = disk.get();
    if (diskAlarm.isNews(now.isLow(), nowNanos)) {
      String project = Topic.DEFAULT_PROJECT;
      out.accept(
          now.isLow()
              ? new OperatorEvent.DiskLow(project, now.freeBytes(), now.reserveBytes())
              : new OperatorEvent.DiskRecovered(project, now.freeBytes(), now.reserveBytes()));
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
