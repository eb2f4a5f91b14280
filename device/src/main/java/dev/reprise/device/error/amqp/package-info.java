/** One class for each error of AMQP 1.0 in the table. */
@NullMarked
package dev.reprise.device.error.amqp;

import org.jspecify.annotations.NullMarked;
