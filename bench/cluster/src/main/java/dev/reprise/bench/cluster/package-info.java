/**
 * Nodes of a cluster and its brokers as processes: faults under load, the checks of what is left,
 * and figures; see {@code bench/run}.
 */
@NullMarked
package dev.reprise.bench.cluster;

import org.jspecify.annotations.NullMarked;
