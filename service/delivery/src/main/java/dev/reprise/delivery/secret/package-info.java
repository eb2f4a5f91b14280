/** Secrets at rest: encrypted under keys that the operator holds. */
@NullMarked
package dev.reprise.delivery.secret;

import org.jspecify.annotations.NullMarked;
