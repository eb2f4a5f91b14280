/** Questions of a node to the owner of a shard. */
@NullMarked
package dev.reprise.cluster.peer;

import org.jspecify.annotations.NullMarked;
