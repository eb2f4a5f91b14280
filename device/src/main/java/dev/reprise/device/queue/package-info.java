/** Messages that wait for a connection: in memory, or in a log on disk. */
@NullMarked
package dev.reprise.device.queue;

import org.jspecify.annotations.NullMarked;
