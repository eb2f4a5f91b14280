package dev.reprise.lab.calls;

/** What an attempt can be sent to. */
sealed interface Station permits LayerStation, Service {
  /** Takes an attempt in, and answers it now or later. */
  void receive(Attempt attempt);
}
