/** One class for each error of MQTT in the table; both versions share those that mean the same. */
@NullMarked
package dev.reprise.device.error.mqtt;

import org.jspecify.annotations.NullMarked;
