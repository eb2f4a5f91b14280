package dev.reprise.lab.choose;

import dev.reprise.lab.figure.PolicyResult;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The result of the search.
 *
 * @param task what was looked for
 * @param recommended the best, with the figures of the whole fleet as simulated; null when no
 *     policy keeps the limits
 * @param document the recommended policy as a document, ready to use; null when there is none
 * @param reasons why it, in sentences with its numbers; without it, what stands in the way
 * @param caveats where its limits are, in sentences with its numbers
 * @param front those of which no other is better in drain, peak, attempts and wasted work at once,
 *     by rising drain; by the mean field in fine steps, so their peaks are without chance. It is of
 *     all that drain, whether they keep the limits or not; the names of those whose first retry
 *     comes later than 10 s on average say so
 * @param confirmed the best few, simulated device by device, the recommended one first; of a
 *     smaller fleet with as much less capacity where the whole one would take too long
 * @param confirmedDevices of the fleet in those simulations
 * @param whatIf the recommended policy when things are worse
 * @param collapse at which capacity, or with how many devices, the recommended policy never
 *     recovers; null when there is none
 * @param searched how many policies there are
 * @param pruned how many of them could be ruled out without solving them: refusals take all
 *     capacity, or the outage is long and jitter so narrow that devices stay in step for hours
 */
public record Choice(
    Task task,
    @Nullable Candidate recommended,
    @Nullable ObjectNode document,
    List<String> reasons,
    List<String> caveats,
    List<Candidate> front,
    List<PolicyResult> confirmed,
    int confirmedDevices,
    List<WhatIf> whatIf,
    @Nullable Collapse collapse,
    int searched,
    int pruned) {
  /** The rule by which one is picked, in words. */
  public static final String RULE =
      "Of the policies in which the linter finds nothing (so the mean delay at the cap is at least"
          + " twice that at which refusals take all capacity), by which a device that loses its"
          + " connection alone tries again within 10 s on average, and which keep the limits both"
          + " by the mean field and as simulated: the one with the least drain/(N/C) * attempts"
          + " after recovery * peak/C, as simulated. Of those that are all but equal, the one with"
          + " the fewest attempts in all.";

  /** Copies the lists. */
  public Choice {
    reasons = List.copyOf(reasons);
    caveats = List.copyOf(caveats);
    front = List.copyOf(front);
    confirmed = List.copyOf(confirmed);
    whatIf = List.copyOf(whatIf);
  }
}
