/** Benchmarks of core beside other retry libraries and beside loops written by hand. */
@NullMarked
package dev.reprise.bench.retry;

import org.jspecify.annotations.NullMarked;
