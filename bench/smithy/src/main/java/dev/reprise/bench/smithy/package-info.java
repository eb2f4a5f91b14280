/** Generates and compiles the errors of whole folders of models; see {@code bench/run}. */
@NullMarked
package dev.reprise.bench.smithy;

import org.jspecify.annotations.NullMarked;
