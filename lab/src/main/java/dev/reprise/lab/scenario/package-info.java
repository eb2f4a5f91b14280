/** Scenarios of the simulation: values read from scenario files, and the ready-made ones. */
@NullMarked
package dev.reprise.lab.scenario;

import org.jspecify.annotations.NullMarked;
