/** What every simulation stands on: events in virtual time and randomness by counting. */
@NullMarked
package dev.reprise.lab.kernel;

import org.jspecify.annotations.NullMarked;
