/** The fleet as a fluid: the same answers in milliseconds, whatever the number of devices. */
@NullMarked
package dev.reprise.lab.meanfield;

import org.jspecify.annotations.NullMarked;
