/** Devices that come back to a service with a quota, packed so that millions of them fit. */
@NullMarked
package dev.reprise.lab.fleet;

import org.jspecify.annotations.NullMarked;
