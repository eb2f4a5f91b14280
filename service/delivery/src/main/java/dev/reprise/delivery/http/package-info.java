/**
 * Sending one delivery attempt to a subscriber's HTTP endpoint: the sender, and the rules that say
 * which addresses it may connect to.
 */
@NullMarked
package dev.reprise.delivery.http;

import org.jspecify.annotations.NullMarked;
