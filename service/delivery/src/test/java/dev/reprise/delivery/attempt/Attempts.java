package dev.reprise.delivery.attempt;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.carrier.CarrierType;
import dev.reprise.delivery.carrier.CarrierTypes;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.function.DeliveryFunction;
import dev.reprise.delivery.function.Functions;
import dev.reprise.delivery.http.HttpSender;
import dev.reprise.delivery.secret.SecretKeys;
import java.time.Duration;
import java.util.List;

/** The senders of attempts as the service puts them together, for tests. */
public final class Attempts {
  private Attempts() {}

  /** Attempts over HTTP alone. */
  static ProtocolAttempts over(Catalog catalog, HttpSender sender) {
    return over(catalog, sender, List.of(), SecretKeys.NONE, List.of());
  }

  /** Attempts with these kinds of carriers and functions. */
  static ProtocolAttempts over(
      Catalog catalog,
      HttpSender sender,
      List<CarrierType<?>> types,
      SecretKeys keys,
      List<DeliveryFunction> functions) {
    Duration timeout = Duration.ofSeconds(15);
    AddressGuard guard = AddressGuard.globalOnly();
    Carriers carriers = new Carriers(catalog, new CarrierTypes(types), keys, sender, guard);
    carriers.start(Carriers.Events.NONE);
    return new ProtocolAttempts(
        catalog,
        new HttpAttempts(carriers, sender, guard, timeout),
        carriers,
        new Functions(functions),
        timeout,
        AttemptTracer.PASS_ON);
  }
}
