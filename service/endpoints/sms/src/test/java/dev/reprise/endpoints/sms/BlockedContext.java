package dev.reprise.endpoints.sms;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.carrier.CarrierContext;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.http.HttpSender;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Surroundings that take no receipt before they are told to. */
final class BlockedContext implements CarrierContext {
  final CountDownLatch begun = new CountDownLatch(1);
  final CountDownLatch goOn = new CountDownLatch(1);
  final AtomicInteger received = new AtomicInteger();

  @Override
  public String name() {
    return "blocked";
  }

  @Override
  public int maxInFlight() {
    return 10;
  }

  @Override
  public HttpSender http() {
    throw new IllegalStateException("this test gave the carrier no HTTP");
  }

  @Override
  public AddressGuard guard() {
    return AddressGuard.allowing(true, List.of());
  }

  @Override
  public void received(Receipt receipt) {
    begun.countDown();
    try {
      goOn.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("stopped", e);
    }
    received.incrementAndGet();
  }

  @Override
  public void recovered() {}
}
