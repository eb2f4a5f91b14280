/** Brokers of Kafka for trying a cluster out: in this process, or as processes of their own. */
@NullMarked
package dev.reprise.cluster.broker;

import org.jspecify.annotations.NullMarked;
