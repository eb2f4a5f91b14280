/** Backoffs as they are written in documents; not exported. */
@NullMarked
package dev.reprise.policy.backoff;

import org.jspecify.annotations.NullMarked;
