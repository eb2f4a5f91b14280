package dev.reprise.device.transport;

import dev.reprise.device.credential.Credential;
import org.jspecify.annotations.Nullable;

/**
 * The request for a connection, beside the settings of the transport.
 *
 * @param credential what to prove the device's identity with
 * @param receivesCommands whether to ask for commands; then {@link ConnectionListener#onSubscribed}
 *     tells whether they are granted, before the connection is ready. It gets ready in both cases:
 *     a device that may not be commanded can still send
 * @param server the server to go to instead of the configured one, as {@code host:port} or {@code
 *     host}, or null; a server named it in {@link
 *     dev.reprise.device.error.TransportException#serverReference()}. One that cannot be read
 *     counts as null
 */
public record ConnectRequest(
    Credential credential, boolean receivesCommands, @Nullable String server) {}
