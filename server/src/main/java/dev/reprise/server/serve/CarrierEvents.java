package dev.reprise.server.serve;

import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.engine.Carriers;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.api.Metrics;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Hands on to the engine what carriers report; what comes before it has started waits for it. */
final class CarrierEvents implements Carriers.Events {
  private static final long MAX_WAIT_SECONDS = 30;

  private final CompletableFuture<DeliveryEngine> engine;
  private final Metrics metrics;

  CarrierEvents(CompletableFuture<DeliveryEngine> engine, Metrics metrics) {
    this.engine = engine;
    this.metrics = metrics;
  }

  @Override
  public void limited(CarrierDefinition carrier) {
    var unused = engine.thenAccept(running -> running.limited(carrier));
  }

  @Override
  public void received(String carrier, Receipt receipt) {
    // Whoever told it is answered once it is stored: an error, or no answer in time, is thrown.
    var unused =
        engine
            .thenCompose(running -> running.received(carrier, receipt))
            .orTimeout(MAX_WAIT_SECONDS, TimeUnit.SECONDS)
            .whenComplete(
                (known, error) ->
                    metrics.received(
                        carrier, receipt.delivered(), error == null && Boolean.TRUE.equals(known)))
            .join();
  }

  @Override
  public void recovered(String carrier) {
    var unused = engine.thenAccept(running -> running.recovered(carrier));
  }

  @Override
  public void changed(String carrier) {
    var unused = engine.thenCompose(running -> running.resume(carrier));
  }
}
