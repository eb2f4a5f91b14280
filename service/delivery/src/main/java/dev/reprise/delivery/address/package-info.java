/** Addresses of endpoints: URLs, host names by UTS 46, and which addresses may be connected to. */
@NullMarked
package dev.reprise.delivery.address;

import org.jspecify.annotations.NullMarked;
