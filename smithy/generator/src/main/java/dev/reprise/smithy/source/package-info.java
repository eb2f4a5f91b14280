/** Writes a file of Java: types, imports and literals. */
@NullMarked
package dev.reprise.smithy.source;

import org.jspecify.annotations.NullMarked;
