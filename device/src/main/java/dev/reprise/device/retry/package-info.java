/** Whether and when a device tries again (seed 000). */
@NullMarked
package dev.reprise.device.retry;

import org.jspecify.annotations.NullMarked;
