/** The benchmarks that JMH runs, each of one situation. */
@NullMarked
package dev.reprise.bench.retry.jmh;

import org.jspecify.annotations.NullMarked;
