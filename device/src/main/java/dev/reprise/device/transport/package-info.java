/** The seam between the client and a protocol. Implement it for a protocol of your own. */
@NullMarked
package dev.reprise.device.transport;

import org.jspecify.annotations.NullMarked;
