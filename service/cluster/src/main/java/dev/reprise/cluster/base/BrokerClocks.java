package dev.reprise.cluster.base;

import java.util.List;

/**
 * The clocks of the brokers, as a node sees them.
 *
 * @param furthestMillis by how much the clock of a broker is certainly ahead of most clocks, of the
 *     broker whose clock is off most; less than 0 if it is behind
 * @param problems of each broker whose clock is off by more than {@code
 *     ClusterHost.MAX_CLOCK_OFF_MILLIS}, which one it is and by how much, in a sentence; that stops
 *     no node
 */
public record BrokerClocks(long furthestMillis, List<String> problems) {
  /** Copies the list. */
  public BrokerClocks {
    problems = List.copyOf(problems);
  }
}
