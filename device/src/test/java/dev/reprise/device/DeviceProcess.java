package dev.reprise.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.device.hub.HubProfiles;
import dev.reprise.device.queue.QueueSettings;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A device in a process of its own, to be killed: it sends what its queue holds. */
final class DeviceProcess {
  private DeviceProcess() {}

  /** Opens the queue of a folder for a hub, and writes a line for each outcome. */
  public static void main(String[] args) throws Exception {
    // Not System.out: what is told must be out before the process can die of anything else.
    FileOutputStream told = new FileOutputStream(FileDescriptor.out);
    DeviceClient client =
        DeviceClient.builder(HubProfiles.fromUri(URI.create(args[0]), "device-1"))
            .queue(settings(Path.of(args[1])))
            .onOutcome(
                outcome -> {
                  try {
                    told.write((outcome.kind() + " " + outcome.messageId() + "\n").getBytes(UTF_8));
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                })
            .build();
    client.open();
    new CountDownLatch(1).await();
  }

  static QueueSettings settings(Path folder) {
    return QueueSettings.defaults().inFolder(folder).withBounds(100_000, 100_000_000);
  }
}
