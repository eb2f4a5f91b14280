/** Reports: one HTML file, JSON, CSV, and charts for the terminal. */
@NullMarked
package dev.reprise.lab.report;

import org.jspecify.annotations.NullMarked;
