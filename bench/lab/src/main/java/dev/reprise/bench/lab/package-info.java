/** Benchmarks of the lab; see {@code bench/run}. */
@NullMarked
package dev.reprise.bench.lab;

import org.jspecify.annotations.NullMarked;
