/**
 * The command {@code lab}: simulations of retry policies, with their options, tables and summaries.
 */
@NullMarked
package dev.reprise.cli.lab;

import org.jspecify.annotations.NullMarked;
