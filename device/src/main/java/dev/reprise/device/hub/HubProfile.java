package dev.reprise.device.hub;

import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.transport.Transport;

/**
 * One device at one hub: how to reach it, and how to prove who the device is. Made by the factories
 * of this package, or by hand. Belongs to one client.
 *
 * @param name what it is called in texts, such as {@code azure-iot-hub}
 * @param transport how to reach the hub
 * @param credentials what to prove the device's identity with
 */
public record HubProfile(String name, Transport transport, CredentialSupplier credentials) {}
