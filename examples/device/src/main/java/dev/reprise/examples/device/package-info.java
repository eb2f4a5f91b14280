/** Example programs for devices. */
@NullMarked
package dev.reprise.examples.device;

import org.jspecify.annotations.NullMarked;
