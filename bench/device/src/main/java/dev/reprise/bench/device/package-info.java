/** Benchmarks of the device client; see {@code bench/run}. */
@NullMarked
package dev.reprise.bench.device;

import org.jspecify.annotations.NullMarked;
