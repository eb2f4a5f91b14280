/** What a maker of devices writes. */
@NullMarked
package dev.reprise.examples.device;

import org.jspecify.annotations.NullMarked;
