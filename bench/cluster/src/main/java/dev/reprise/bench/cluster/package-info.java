/** Figures of a cluster: many nodes, the catalog, a restore; see {@code bench/run}. */
@NullMarked
package dev.reprise.bench.cluster;

import org.jspecify.annotations.NullMarked;
