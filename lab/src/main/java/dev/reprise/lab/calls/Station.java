package dev.reprise.lab.calls;

/** A target of attempts: a layer or the service. */
sealed interface Station permits LayerStation, SimulatedService {
  /** Takes an attempt in, and answers it now or later. */
  void receive(CallAttempt attempt);
}
