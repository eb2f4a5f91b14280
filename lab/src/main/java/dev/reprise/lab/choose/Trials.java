package dev.reprise.lab.choose;

import java.util.List;

/**
 * The candidates that were tried in the search for some that keep the limits.
 *
 * @param solved in fine steps
 * @param simulated those of them that keep the limits by the mean field
 * @param kept those of the last ones simulated that keep the limits, the least regret first
 */
record Trials(List<Candidate> solved, List<Confirmation> simulated, List<Confirmation> kept) {}
