/** Messages, commands, and the outcomes of messages. */
@NullMarked
package dev.reprise.device.message;

import org.jspecify.annotations.NullMarked;
