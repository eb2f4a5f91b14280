/** Shows the effects of a policy on a fleet before it is shipped. Start with {@link Lab}. */
@NullMarked
package dev.reprise.lab;

import org.jspecify.annotations.NullMarked;
