/**
 * A node of a cluster: it puts the other rooms together, and is the host of a delivery engine.
 *
 * <p>Every turn of a shard is one transaction in Kafka under ids that only its owner may use;
 * consensus, membership and fencing are Kafka's. Arrows go from node, migrate and peer to
 * ownership, from there to intake and group, then to log, and to base, and never back.
 */
@NullMarked
package dev.reprise.cluster.node;

import org.jspecify.annotations.NullMarked;
