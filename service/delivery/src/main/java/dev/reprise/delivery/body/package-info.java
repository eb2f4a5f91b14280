/** The content that each protocol is sent of a message, and the limits of what it can carry. */
@NullMarked
package dev.reprise.delivery.body;

import org.jspecify.annotations.NullMarked;
