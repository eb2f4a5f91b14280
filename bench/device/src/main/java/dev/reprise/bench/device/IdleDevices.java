package dev.reprise.bench.device;

import com.hivemq.client.mqtt.MqttClientExecutorConfig;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import dev.reprise.device.DeviceClient;
import dev.reprise.device.hub.HubProfiles;
import io.reactivex.schedulers.Schedulers;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The JVM that connects many devices and leaves them idle: {@code ours} or {@code bare}, and the
 * port of the broker.
 */
public final class IdleDevices {
  /** More would overflow the queue of new connections of the broker. */
  private static final int MAX_CONNECTING = 50;

  private static final List<Object> KEPT = new ArrayList<>();

  private IdleDevices() {}

  /**
   * Answers {@code connect N} with {@code ok}, {@code measure} with the bytes on the heap, the
   * threads and the resident bytes, and {@code histogram FILE} by writing that file.
   */
  public static void main(String[] args) throws Exception {
    boolean ours = args[0].equals("ours");
    int port = Integer.parseInt(args[1]);
    Jvm.serve(
        request -> {
          String[] words = request.split(" ", -1);
          switch (words[0]) {
            case "connect" -> connect(ours, port, Integer.parseInt(words[1]));
            case "measure" -> {
              return Jvm.liveHeapBytes() + " " + Jvm.threads() + " " + residentBytes();
            }
            case "histogram" -> Files.writeString(Path.of(words[1]), histogram());
            default -> throw new IllegalArgumentException("request is " + request);
          }
          return "ok";
        });
  }

  private static void connect(boolean ours, int port, int devices) throws IOException {
    List<CompletableFuture<?>> connecting = new ArrayList<>();
    for (int i = 0; i < devices; i++) {
      String id = "device-" + KEPT.size();
      connecting.add(ours ? connectOurs(id, port) : connectBare(id, port));
      if (connecting.size() == MAX_CONNECTING) {
        connecting.forEach(CompletableFuture::join);
        connecting.clear();
      }
    }
    connecting.forEach(CompletableFuture::join);
  }

  private static CompletableFuture<?> connectOurs(String id, int port) throws IOException {
    DeviceClient client =
        DeviceClient.builder(HubProfiles.fromUri(URI.create("mqtt://127.0.0.1:" + port), id))
            .build();
    KEPT.add(client);
    return client.open().toCompletableFuture();
  }

  private static CompletableFuture<?> connectBare(String id, int port) {
    Mqtt5AsyncClient client =
        Mqtt5Client.builder()
            .identifier(id)
            .serverHost("127.0.0.1")
            .serverPort(port)
            .executorConfig(
                MqttClientExecutorConfig.builder()
                    .applicationScheduler(Schedulers.trampoline())
                    .build())
            .buildAsync();
    KEPT.add(client);
    return client.connect();
  }

  private static long residentBytes() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return 0;
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
        .sum();
  }

  private static String histogram() throws JMException {
    return (String)
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
  }
}
