/**
 * The heart of delivery: a shard is a pure step function. Events go in, writes and attempts come
 * out; time, randomness and the store are handed to it.
 */
@NullMarked
package dev.reprise.delivery.shard;

import org.jspecify.annotations.NullMarked;
