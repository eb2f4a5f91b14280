/** Findings about a policy that need no simulation, each with its proof. */
@NullMarked
package dev.reprise.lab.lint;

import org.jspecify.annotations.NullMarked;
