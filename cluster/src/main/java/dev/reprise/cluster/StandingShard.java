package dev.reprise.cluster;

/**
 * A shard that takes in nothing, although its node owns it and the brokers answer.
 *
 * @param shard its number
 * @param reason why, on one line, with the topic, the partition and the place
 * @param sinceMillis since when, in milliseconds of wall time
 */
public record StandingShard(int shard, String reason, long sinceMillis) {}
