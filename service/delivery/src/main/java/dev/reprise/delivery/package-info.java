/** The delivery engine: topics, subscriptions, shards, endpoints and dead letters. */
@NullMarked
package dev.reprise.delivery;

import org.jspecify.annotations.NullMarked;
