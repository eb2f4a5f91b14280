package dev.reprise.bench.device;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.device.transport.mqtt.MqttSettings;
import dev.reprise.device.transport.mqtt.MqttTransport;
import dev.reprise.device.transport.mqtt.MqttVersion;
import dev.reprise.fixtures.Mosquitto;
import java.io.PrintStream;

/** QoS 1 publishes through the device client beside the HiveMQ client. */
final class MqttPublish implements Benchmark {
  private static final int WINDOW = 100;
  private static final String TOPIC = "devices/bench/messages";

  @Override
  public String name() {
    return "mqtt-publish";
  }

  @Override
  public String goal() {
    return ">=0.90";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    try (Mosquitto broker = DeviceBrokers.mosquitto();
        Publisher bare = new BareMqtt("bare", broker.port(), TOPIC, WINDOW);
        Publisher ours = new DevicePublisher(transport(broker), WINDOW)) {
      return Figures.ratio(new Duel(2 * WINDOW, effort, out).run(bare, ours, () -> {}));
    }
  }

  private static MqttTransport transport(Mosquitto broker) {
    return new MqttTransport(
        MqttSettings.builder("127.0.0.1")
            .port(broker.port())
            .version(MqttVersion.MQTT_5)
            .clientId("ours")
            .topic(TOPIC)
            .sendMaximum(WINDOW)
            .build());
  }
}
