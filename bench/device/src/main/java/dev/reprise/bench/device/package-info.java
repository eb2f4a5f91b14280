/** Benchmarks of the device client; see {@code bench-device/run}. */
@NullMarked
package dev.reprise.bench.device;

import org.jspecify.annotations.NullMarked;
