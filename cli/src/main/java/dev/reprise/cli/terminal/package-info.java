/** Output for people: the terminal with its styles, tables, charts, progress and text that fits. */
@NullMarked
package dev.reprise.cli.terminal;

import org.jspecify.annotations.NullMarked;
