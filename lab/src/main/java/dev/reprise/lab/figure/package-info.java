/**
 * Measurements: figures under one name everywhere, series over time, distributions, and how sure
 * they are.
 */
@NullMarked
package dev.reprise.lab.figure;

import org.jspecify.annotations.NullMarked;
