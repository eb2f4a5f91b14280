/** Credentials of devices, and their renewal. */
@NullMarked
package dev.reprise.device.credential;

import org.jspecify.annotations.NullMarked;
