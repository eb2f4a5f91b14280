/** Settings, errors, names, clocks and clients of Kafka: what every other room stands on. */
@NullMarked
package dev.reprise.cluster.base;

import org.jspecify.annotations.NullMarked;
