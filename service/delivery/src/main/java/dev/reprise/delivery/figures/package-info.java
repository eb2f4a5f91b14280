/** The parts of figures over time. */
@NullMarked
package dev.reprise.delivery.figures;

import org.jspecify.annotations.NullMarked;
