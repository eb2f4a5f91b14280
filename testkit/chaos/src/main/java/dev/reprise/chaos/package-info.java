/**
 * Nodes of a cluster and its brokers as processes: faults under load, and the checks of what is
 * left; see {@code bench/run cluster-chaos}.
 */
@NullMarked
package dev.reprise.chaos;

import org.jspecify.annotations.NullMarked;
