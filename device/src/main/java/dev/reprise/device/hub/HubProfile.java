package dev.reprise.device.hub;

import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.retry.RetryPolicy;
import dev.reprise.device.transport.Transport;
import org.jspecify.annotations.Nullable;

/**
 * One device at one hub: how to reach it, and how to authenticate the device. Made by the factories
 * of this package, or by hand. Belongs to one client.
 *
 * @param name what it is called in texts, such as {@code azure-iot-hub}
 * @param transport how to reach the hub
 * @param credentials what to prove the device's identity with
 * @param retryPolicy when the hub's own documents want a device to try again, both to connect and
 *     to send; null: they say nothing. A policy that is set on the client takes its place
 */
public record HubProfile(
    String name,
    Transport transport,
    CredentialSupplier credentials,
    @Nullable RetryPolicy retryPolicy) {
  /** Creates the profile of a hub that says nothing of retries. */
  public HubProfile(String name, Transport transport, CredentialSupplier credentials) {
    this(name, transport, credentials, null);
  }
}
