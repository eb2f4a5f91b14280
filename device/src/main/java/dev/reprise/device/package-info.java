/** The device client: keeps a connection up, and sends messages. */
@NullMarked
package dev.reprise.device;

import org.jspecify.annotations.NullMarked;
