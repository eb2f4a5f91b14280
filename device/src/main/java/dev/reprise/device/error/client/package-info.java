/** One class for each error in the table that arises in the device itself. */
@NullMarked
package dev.reprise.device.error.client;

import org.jspecify.annotations.NullMarked;
