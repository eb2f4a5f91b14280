/** Topics of Kafka. */
@NullMarked
package dev.reprise.endpoints.kafka;

import org.jspecify.annotations.NullMarked;
