package dev.reprise.bench.device;

import dev.reprise.fixtures.Mosquitto;

/** Brokers as the benchmarks need them. */
final class DeviceBrokers {
  private DeviceBrokers() {}

  /** Starts a Mosquitto that keeps all in memory, bounds nothing and logs nothing but errors. */
  static Mosquitto mosquitto() {
    return Mosquitto.configure()
        .quiet()
        .line("max_inflight_messages 0")
        .line("max_queued_messages 0")
        .start();
  }
}
