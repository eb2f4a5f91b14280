/** The schedule of a policy before it is used: each delay, the whole time, and what harms in it. */
@NullMarked
package dev.reprise.policy.preview;

import org.jspecify.annotations.NullMarked;
