package dev.reprise.examples.device;

import dev.reprise.device.CommandHandler;
import dev.reprise.device.DeviceClient;
import dev.reprise.device.hub.HubProfiles;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A device at any AMQP 1.0 broker. The URL holds the addresses for messages and commands and the
 * credentials of the device: {@code amqp://user:password@host?to=telemetry&commands=orders}.
 */
public final class AmqpDevice {
  private AmqpDevice() {}

  /** Sends readings, and returns how each of them ended. */
  public static List<MessageOutcome> sendAll(
      URI broker, String deviceId, List<String> readings, CommandHandler commands)
      throws Exception {
    try (DeviceClient client =
        DeviceClient.builder(HubProfiles.fromUri(broker, deviceId)).build()) {
      client.open();
      client.subscribe(commands);
      // They may all wait for the connection together: sending is not waiting.
      List<CompletableFuture<MessageOutcome>> sent = new ArrayList<>();
      for (String reading : readings) {
        Message message =
            Message.builder()
                .body(reading)
                .contentType("application/json")
                .property("firmware", "1.4.2")
                .build();
        sent.add(client.send(message).toCompletableFuture());
      }
      List<MessageOutcome> outcomes = new ArrayList<>();
      for (CompletableFuture<MessageOutcome> outcome : sent) {
        outcomes.add(outcome.get());
      }
      return outcomes;
    }
  }

  /** Sends what stands on the command line: BROKER-URL DEVICE READING... */
  public static void main(String[] args) throws Exception {
    List<String> readings = List.of(args).subList(2, args.length);
    List<MessageOutcome> outcomes =
        sendAll(
            URI.create(args[0]),
            args[1],
            readings,
            command -> System.out.println("command " + command.name()));
    outcomes.forEach(System.out::println);
  }
}
