/** What a hub can refuse: one class for each error of HTTP in the table. */
@NullMarked
package dev.reprise.device.error.hub;

import org.jspecify.annotations.NullMarked;
