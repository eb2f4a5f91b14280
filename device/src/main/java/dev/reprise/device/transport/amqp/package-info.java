/** AMQP 1.0. */
@NullMarked
package dev.reprise.device.transport.amqp;

import org.jspecify.annotations.NullMarked;
