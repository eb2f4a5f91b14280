/** One generator for each kind of shape, and one for what reads responses. */
@NullMarked
package dev.reprise.smithy.generate;

import org.jspecify.annotations.NullMarked;
