/**
 * The seam between the delivery engine and the modules under {@code endpoints/}: a carrier is what
 * an operator sets up under a name to reach endpoints that are not URLs, such as an account at an
 * SMS centre, a mail relay or a broker.
 */
@NullMarked
package dev.reprise.delivery.carrier;

import org.jspecify.annotations.NullMarked;
