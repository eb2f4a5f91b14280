package dev.reprise.bench.device;

import dev.reprise.bench.common.Launcher;
import java.util.List;

/** The benchmarks of the device client; see {@code bench/run}. */
public final class DeviceBench {
  private DeviceBench() {}

  /** Runs the benchmark that the arguments name, as {@link Launcher#main} does. */
  public static void main(String[] args) throws Exception {
    Launcher.main(
        List.of(
            new MqttPublish(),
            new AmqpSend(),
            new IdleDevice(),
            new ReconnectStorm(),
            new Chaos(),
            new OfflineDay()),
        args);
  }
}
