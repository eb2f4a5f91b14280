/** What a device proves its identity with, and how it is renewed. */
@NullMarked
package dev.reprise.device.credential;

import org.jspecify.annotations.NullMarked;
