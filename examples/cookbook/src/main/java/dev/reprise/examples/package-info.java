/** The recipes of COOKBOOK.md, each a program of its own. */
@NullMarked
package dev.reprise.examples;

import org.jspecify.annotations.NullMarked;
