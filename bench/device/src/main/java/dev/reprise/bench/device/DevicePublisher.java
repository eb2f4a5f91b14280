package dev.reprise.bench.device;

import dev.reprise.device.DeviceClient;
import dev.reprise.device.credential.CredentialSupplier;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.Transport;
import java.io.IOException;
import java.util.concurrent.CompletionStage;

/** Ours: the device client. */
final class DevicePublisher implements Publisher {
  private final DeviceClient client;

  DevicePublisher(Transport transport, int window) throws IOException {
    client =
        DeviceClient.builder(new HubProfile(transport.name(), transport, CredentialSupplier.none()))
            .maxInFlight(window)
            .build();
    client.open().toCompletableFuture().join();
  }

  @Override
  public CompletionStage<?> send(byte[] body) {
    return client.send(Message.of(body));
  }

  @Override
  public void close() {
    client.close();
  }
}
