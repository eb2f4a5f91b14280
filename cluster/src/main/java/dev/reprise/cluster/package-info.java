/**
 * The shards of the delivery engine on several machines. Every turn of a shard is one transaction
 * in Kafka under ids that only its owner may use; consensus, membership and fencing are Kafka's.
 */
@NullMarked
package dev.reprise.cluster;

import org.jspecify.annotations.NullMarked;
