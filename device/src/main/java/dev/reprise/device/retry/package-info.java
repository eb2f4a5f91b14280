/**
 * The retry contract of the Azure IoT device SDK for Java, as its retry documentation publishes it.
 * {@code RetryPolicy}, {@code RetryDecision}, {@code ExponentialBackoffWithJitter} and {@code
 * NoRetry} have the names and methods of that contract and not those of the core's classes of the
 * same names; {@link RetryPolicies} makes such policies of the core's backoffs and of documents.
 */
@NullMarked
package dev.reprise.device.retry;

import org.jspecify.annotations.NullMarked;
