package dev.reprise.delivery.carrier;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.http.HttpSender;

/** The surroundings of a running carrier: what it may use of the process. Thread-safe. */
public interface CarrierContext {
  /** Returns the name that the operator has given the carrier. */
  String name();

  /** Returns the most attempts that may be under way at the same time; at least 1. */
  int maxInFlight();

  /** Returns the one HTTP client of the service, for carriers that speak HTTP. */
  HttpSender http();

  /** Returns the rule of which addresses HTTP may go to. */
  AddressGuard guard();

  /**
   * Reports how a message fared after it was handed over. Returns once that was passed on, which
   * may take as long as the engine takes to write; a receipt that no delivery is known for is
   * counted and dropped. Is to be called after the attempt's outcome was given.
   */
  void received(Receipt receipt);

  /** Reports that the carrier works again, so that no delivery waits for the end of a block. */
  void recovered();
}
