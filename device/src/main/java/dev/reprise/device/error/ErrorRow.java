package dev.reprise.device.error;

import java.io.Serializable;

/**
 * One row of the error table {@code device-errors.csv}: what a code means, for the client, for the
 * application and for the documentation alike.
 *
 * @param protocol where the code comes from, such as {@code mqtt5-connack} or {@code amqp}
 * @param code the code: a text, a decimal number, or for MQTT 5 as {@code 0x9F}
 * @param name the name of the error, such as {@code MqttServerUnavailable}
 * @param retryable whether trying again can help
 * @param kind what sort of thing it is
 * @param scope how much it concerns
 */
public record ErrorRow(
    String protocol, String code, String name, boolean retryable, ErrorKind kind, ErrorScope scope)
    implements Serializable {}
