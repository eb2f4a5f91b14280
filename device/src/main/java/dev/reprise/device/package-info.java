/** The device client: keeps a connection up, and sends what is entrusted to it. */
@NullMarked
package dev.reprise.device;

import org.jspecify.annotations.NullMarked;
