/** What a device sends and receives, and how a message can end. */
@NullMarked
package dev.reprise.device.message;

import org.jspecify.annotations.NullMarked;
