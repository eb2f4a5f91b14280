/**
 * Requests that another node of the cluster answers, and what nodes say of themselves and of
 * shards.
 */
@NullMarked
package dev.reprise.server.nodes;

import org.jspecify.annotations.NullMarked;
