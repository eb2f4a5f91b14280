/**
 * The launcher that all benchmarks share, their goals and their arithmetic; see {@code bench/run}.
 */
@NullMarked
package dev.reprise.bench.common;

import org.jspecify.annotations.NullMarked;
