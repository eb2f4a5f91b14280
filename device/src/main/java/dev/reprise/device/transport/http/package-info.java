/** HTTP/1.1 and HTTP/2. */
@NullMarked
package dev.reprise.device.transport.http;

import org.jspecify.annotations.NullMarked;
