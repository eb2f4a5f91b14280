package dev.reprise.examples.device;

import dev.reprise.device.DeviceClient;
import dev.reprise.device.OutcomeListener;
import dev.reprise.device.hub.HubProfiles;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.message.Priority;
import dev.reprise.device.queue.DropPolicy;
import dev.reprise.device.queue.QueueSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A device that loses its power as often as its network. Messages that {@code enqueue} has accepted
 * are on disk: the next start sends it, however this one ends.
 */
public final class OfflineQueue {
  private OfflineQueue() {}

  /** Opens the device with its queue in a folder, which one client at a time can use. */
  public static DeviceClient device(URI hub, String deviceId, Path folder, OutcomeListener ends)
      throws IOException {
    // @start region=device
    QueueSettings queue =
        QueueSettings.defaults()
            .inFolder(folder)
            // A day of ten readings a second, or 200 MB, whatever is less.
            .withBounds(864_000, 200_000_000)
            // When that is full too, readings are dropped and alarms are kept.
            .withDropPolicy(DropPolicy.DROP_LOWEST_PRIORITY)
            .withTimeToLive(Duration.ofDays(7));
    DeviceClient client =
        DeviceClient.builder(HubProfiles.fromUri(hub, deviceId))
            .queue(queue)
            .onOutcome(ends)
            .build();
    client.open();
    // @end
    return client;
  }

  /** Returns when the reading is safe, which does not mean that it was sent. */
  public static void keep(DeviceClient client, String reading, Priority priority) {
    client
        .enqueue(Message.builder().body(reading).priority(priority).build())
        .toCompletableFuture()
        .join();
  }

  /** Keeps a few readings and waits until all, those of earlier runs too, are sent: HUB-URL DIR. */
  public static void main(String[] args) throws Exception {
    try (DeviceClient client =
        device(
            URI.create(args[0]),
            "pump-7",
            Path.of(args[1]),
            outcome -> {
              if (outcome.kind() != Kind.ACKNOWLEDGED) {
                System.out.println("not delivered: " + outcome);
              }
            })) {
      System.out.println(client.counters().recovered() + " readings of earlier runs are left");
      keep(client, "{\"celsius\": 21.5}", Priority.LOW);
      keep(client, "{\"alarm\": \"dry run\"}", Priority.HIGH);
      while (client.counters().waiting() + client.counters().inFlight() > 0) {
        TimeUnit.MILLISECONDS.sleep(100);
      }
      System.out.println("everything is sent: " + client.counters());
    }
  }
}
