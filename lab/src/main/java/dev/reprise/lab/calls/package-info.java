/**
 * Clients that call a service with servers and a queue, each call run by a real {@code Retry} in
 * virtual time.
 */
@NullMarked
package dev.reprise.lab.calls;

import org.jspecify.annotations.NullMarked;
