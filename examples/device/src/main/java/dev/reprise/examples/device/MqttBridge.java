package dev.reprise.examples.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.device.DeviceClient;
import dev.reprise.device.hub.GoogleIotCore;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import dev.reprise.device.queue.DropPolicy;
import dev.reprise.device.queue.QueueSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A pump at ClearBlade IoT Core: it sends its temperature, and can be told to send it more often.
 *
 * <p>There is no loop around anything that can fail. The client connects, signs a new token before
 * the old one ends, reconnects with growing waits (those that the hub's makers advise come with the
 * profile: 1 s, 2 s, 4 s, ... 64 s, each with some jitter), asks for commands again after each
 * reconnect, and keeps readings while there is no connection.
 */
public final class MqttBridge implements AutoCloseable {
  private final DeviceClient client;
  private volatile Duration interval = Duration.ofSeconds(10);

  /** Prepares a pump; nothing happens before {@link #start}. */
  public MqttBridge(HubProfile profile) throws IOException {
    client =
        DeviceClient.builder(profile)
            // Of a long outage, the last hours matter: the oldest reading makes room.
            .queue(
                QueueSettings.defaults()
                    .withDropPolicy(DropPolicy.DROP_OLDEST)
                    .withTimeToLive(Duration.ofHours(24)))
            .onStatus(
                (status, previous) ->
                    System.out.println(status.state() + " because of " + status.reason()))
            .build();
  }

  /** Connects, now or as soon as it can be done, and asks for commands. */
  public void start() {
    client.open();
    client.subscribe(this::obey);
  }

  /** Sends a reading, now or when there is a connection again. */
  public void report(double celsius) {
    client
        .send(Message.of("{\"celsius\": " + celsius + "}"))
        .whenComplete(
            (outcome, failure) ->
                System.out.println(
                    failure == null
                        ? "acknowledged after " + outcome.attempts() + " attempt(s)"
                        : failure.getMessage()));
  }

  /** Handles a command of the hub, which is the number of seconds between readings. */
  private void obey(Command command) {
    interval = Duration.ofSeconds(Long.parseLong(new String(command.body(), UTF_8).strip()));
    System.out.println("a reading every " + interval.toSeconds() + " s from now on");
  }

  /** Returns how long to wait between readings. */
  public Duration interval() {
    return interval;
  }

  @Override
  public void close() {
    client.close();
  }

  /** Runs until Ctrl-C: PROJECT REGION REGISTRY DEVICE KEY-FILE. */
  public static void main(String[] args) throws Exception {
    HubProfile profile =
        GoogleIotCore.builder(args[0], args[1], args[2], args[3])
            .key(Path.of(args[4]))
            .build()
            .mqtt();
    MqttBridge pump = new MqttBridge(profile);
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(ended::countDown));
    try (pump) {
      pump.start();
      while (!ended.await(pump.interval().toMillis(), TimeUnit.MILLISECONDS)) {
        pump.report(20 + Math.random());
      }
    }
  }
}
