package dev.reprise.server.serve;

import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.watch.Metrics;
import java.util.concurrent.TimeUnit;

/** Hands on to the engine what carriers report. */
final class CarrierEvents implements Carriers.Events {
  private static final long MAX_WAIT_SECONDS = 30;

  private final DeliveryEngine engine;
  private final Metrics metrics;

  CarrierEvents(DeliveryEngine engine, Metrics metrics) {
    this.engine = engine;
    this.metrics = metrics;
  }

  @Override
  public void limited(CarrierDefinition carrier) {
    engine.limited(carrier);
  }

  @Override
  public void received(String carrier, Receipt receipt) {
    // The receipt is answered once it is stored: an error, or no answer in time, is thrown.
    var unused =
        engine
            .received(carrier, receipt)
            .toCompletableFuture()
            .orTimeout(MAX_WAIT_SECONDS, TimeUnit.SECONDS)
            .whenComplete(
                (known, error) ->
                    metrics.received(
                        carrier, receipt.delivered(), error == null && Boolean.TRUE.equals(known)))
            .join();
  }

  @Override
  public void recovered(String carrier) {
    engine.recovered(carrier);
  }

  @Override
  public void changed(String carrier) {
    var unused = engine.resume(carrier);
  }
}
