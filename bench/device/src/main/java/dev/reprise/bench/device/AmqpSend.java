package dev.reprise.bench.device;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.device.transport.amqp.AmqpSettings;
import dev.reprise.device.transport.amqp.AmqpTransport;
import java.io.PrintStream;

/** AMQP sends through the device client beside the protonj2 engine on Netty. */
final class AmqpSend implements Benchmark {
  private static final int WINDOW = 100;

  @Override
  public String name() {
    return "amqp-send";
  }

  @Override
  public String goal() {
    return ">=0.90";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    try (Artemis broker = Artemis.inMemory();
        Publisher bare = new BareAmqp(broker.amqpPort(), Artemis.QUEUE, WINDOW);
        Publisher ours = new DevicePublisher(transport(broker), WINDOW)) {
      return Figures.ratio(new Duel(2 * WINDOW, effort, out).run(bare, ours, broker::purge));
    }
  }

  private static AmqpTransport transport(Artemis broker) {
    return new AmqpTransport(
        AmqpSettings.builder("127.0.0.1", Artemis.QUEUE)
            .port(broker.amqpPort())
            .containerId("ours")
            .build());
  }
}
