package dev.reprise.delivery.carrier;

/**
 * A report on a message, or on one part of it, that came after the attempt: a delivery receipt of
 * an SMS centre, a bounce of a mail server. It is an event of the delivery, and does not reopen it.
 *
 * @param id the id that the attempt's outcome has named among its receipt ids
 * @param delivered whether the message has reached its endpoint
 * @param status the protocol's status, 0 if there is none
 * @param summary one line for people, such as {@code UNDELIV, error 011}
 */
public record Receipt(String id, boolean delivered, int status, String summary) {}
