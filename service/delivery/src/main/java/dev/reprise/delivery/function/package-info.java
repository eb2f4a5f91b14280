/**
 * Functions in the process of the service, which subscriptions of protocol {@code function} name.
 */
@NullMarked
package dev.reprise.delivery.function;

import org.jspecify.annotations.NullMarked;
