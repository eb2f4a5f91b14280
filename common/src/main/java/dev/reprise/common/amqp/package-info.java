/** Connections that speak AMQP 1.0, as devices and the service use them. */
@NullMarked
package dev.reprise.common.amqp;

import org.jspecify.annotations.NullMarked;
