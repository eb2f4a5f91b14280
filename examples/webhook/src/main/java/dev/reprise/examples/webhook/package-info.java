/** An example program that receives webhooks. */
@NullMarked
package dev.reprise.examples.webhook;

import org.jspecify.annotations.NullMarked;
