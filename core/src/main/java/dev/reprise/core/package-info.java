/** The vocabulary of retries: attempts, backoffs, budgets and stop reasons. Decides, never acts. */
@NullMarked
package dev.reprise.core;

import org.jspecify.annotations.NullMarked;
