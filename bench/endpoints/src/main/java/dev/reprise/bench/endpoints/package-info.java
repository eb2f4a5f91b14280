/** Benchmarks of the carriers beside the bare libraries that they stand on. */
@NullMarked
package dev.reprise.bench.endpoints;

import org.jspecify.annotations.NullMarked;
