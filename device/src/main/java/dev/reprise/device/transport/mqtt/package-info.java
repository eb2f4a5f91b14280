/** MQTT 3.1.1 and 5. */
@NullMarked
package dev.reprise.device.transport.mqtt;

import org.jspecify.annotations.NullMarked;
