/** Benchmarks against peers and limits. */
@NullMarked
package dev.reprise.bench.service;

import org.jspecify.annotations.NullMarked;
