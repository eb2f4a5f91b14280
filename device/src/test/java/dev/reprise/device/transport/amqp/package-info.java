@NullMarked
package dev.reprise.device.transport.amqp;

import org.jspecify.annotations.NullMarked;
