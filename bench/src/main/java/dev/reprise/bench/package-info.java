/** Benchmarks against peers and limits. */
@NullMarked
package dev.reprise.bench;

import org.jspecify.annotations.NullMarked;
