/** Queues of brokers that speak AMQP 1.0. */
@NullMarked
package dev.reprise.endpoints.amqp;

import org.jspecify.annotations.NullMarked;
