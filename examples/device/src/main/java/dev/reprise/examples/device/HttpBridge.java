package dev.reprise.examples.device;

import dev.reprise.device.DeviceClient;
import dev.reprise.device.hub.GoogleIotCore;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.NotDeliveredException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/**
 * Sends one event through the HTTP bridge of Google IoT Core, as a device does that wakes up, says
 * what it has to say, and sleeps again.
 *
 * <p>Busy answers (429, 503) are waited for as long as the bridge asks for with {@code
 * Retry-After}; a new token is signed when the old one is refused. HTTP brings no commands.
 */
public final class HttpBridge {
  private HttpBridge() {}

  /**
   * Publishes an event, and waits for how it ends.
   *
   * @param patience how long it is worth trying
   */
  public static MessageOutcome publishEvent(HubProfile profile, String event, Duration patience)
      throws IOException {
    try (DeviceClient client =
        DeviceClient.builder(profile).operationTimeout(patience).giveUpAfter(patience).build()) {
      client.open();
      return client
          .send(Message.builder().body(event).timeToLive(patience).build())
          .toCompletableFuture()
          .join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof NotDeliveredException refused) {
        return refused.outcome();
      }
      throw e;
    }
  }

  /** Sends one event: BRIDGE-URL PROJECT REGION REGISTRY DEVICE KEY-FILE EVENT. */
  public static void main(String[] args) throws Exception {
    HubProfile profile =
        GoogleIotCore.builder(args[1], args[2], args[3], args[4])
            .key(Path.of(args[5]))
            .build()
            .http(URI.create(args[0]));
    MessageOutcome outcome = publishEvent(profile, args[6], Duration.ofMinutes(1));
    System.out.println(
        outcome.kind()
            + " after "
            + outcome.attempts()
            + " attempt(s)"
            + (outcome.cause() == null ? "" : ": " + outcome.cause().getMessage()));
    System.exit(outcome.isAcknowledged() ? 0 : 1);
  }
}
