/** The command {@code device}: a fleet of clients that publish to an MQTT broker. */
@NullMarked
package dev.reprise.cli.device;

import org.jspecify.annotations.NullMarked;
