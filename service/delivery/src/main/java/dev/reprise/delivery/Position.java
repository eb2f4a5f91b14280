package dev.reprise.delivery;

/** A place in an order of times: of pending deliveries by due time, of dead letters by death. */
public record Position(long atMillis, MessageId message) {}
