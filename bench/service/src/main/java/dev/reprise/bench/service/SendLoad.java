package dev.reprise.bench.service;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpAttempt;
import dev.reprise.delivery.http.HttpOptions;
import dev.reprise.delivery.http.HttpOutcome;
import dev.reprise.delivery.http.HttpSenderSettings;
import dev.reprise.delivery.http.VertxHttpSender;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * Posts to the sink as fast as it can, one request in flight to each of {@value #ENDPOINTS}
 * addresses, in a process of its own; then says what a request has cost.
 */
final class SendLoad {
  static final int ENDPOINTS = 64;
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  /** The headers that the service sends beside Host and the length of the body. */
  static final List<Map.Entry<String, String>> HEADERS =
      List.of(
          Map.entry("Reprise-Message-Id", "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"),
          Map.entry("Reprise-Attempt", "1"),
          Map.entry("Reprise-Topic", "orders"),
          Map.entry("Reprise-Subscription", "sub_0123456789abcdef"),
          Map.entry("User-Agent", "Reprise/0.1"));

  static final String CONTENT_TYPE = "application/json";

  /** The cost of a request: requests a second, microseconds of processor, bytes allocated. */
  record Cost(double perSecond, double micros, double bytes) {}

  private final LongAdder answered = new LongAdder();
  private final int port;
  private final byte[] body = "x".repeat(512).getBytes(StandardCharsets.US_ASCII);

  private SendLoad(int port) {
    this.port = port;
  }

  /** Arguments: the client, the sink's port, seconds to warm up, seconds to measure. */
  public static void main(String[] args) throws Exception {
    SendLoad load = new SendLoad(Integer.parseInt(args[1]));
    switch (args[0]) {
      case "sender" -> load.sender();
      case "vertx" -> load.vertx();
      case "netty" -> BareNetty.start(load.port, load.body, load.answered);
      default -> throw new IllegalArgumentException("unknown client " + args[0]);
    }
    Thread.sleep(Integer.parseInt(args[2]) * 1000L);
    OperatingSystemMXBean process =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long requests = load.answered.sum();
    long cpu = process.getProcessCpuTime();
    long bytes = allocated();
    long start = System.nanoTime();
    Thread.sleep(Integer.parseInt(args[3]) * 1000L);
    requests = load.answered.sum() - requests;
    System.out.printf(
        Locale.ROOT,
        "%f %f %f%n",
        requests / ((System.nanoTime() - start) / 1e9),
        (process.getProcessCpuTime() - cpu) / 1e3 / requests,
        (double) (allocated() - bytes) / requests);
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  static Cost run(String client, int port, int warmSeconds, int seconds, String... jvmFlags)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(jvmFlags));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(
        List.of(SendLoad.class.getName(), client, "" + port, "" + warmSeconds, "" + seconds));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      String[] lines = said.strip().split("\n", -1);
      String[] figures = lines[lines.length - 1].split(" ", -1);
      if (figures.length != 3) {
        throw new IOException("the client " + client + " said: " + said);
      }
      return new Cost(
          Double.parseDouble(figures[0]),
          Double.parseDouble(figures[1]),
          Double.parseDouble(figures[2]));
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
      sum += Math.max(0, bytes);
    }
    return sum;
  }

  private void sender() {
    AddressGuard guard = AddressGuard.allowing(true, List.of());
    VertxHttpSender sender =
        new VertxHttpSender(
            eventLoops(), VettedResolver.ofThisMachine(guard), HttpSenderSettings.DEFAULT);
    for (int i = 0; i < ENDPOINTS; i++) {
      String url = "http://" + Addresses.loopback(i) + ":" + port + "/hook";
      send(sender, Objects.requireNonNull(EndpointUrl.parse(url, guard).url()));
    }
  }

  private void send(VertxHttpSender sender, EndpointUrl url) {
    sender.send(
        new HttpAttempt(url, HEADERS, body, CONTENT_TYPE, TIMEOUT, HttpOptions.DEFAULT),
        outcome -> {
          if (!(outcome instanceof HttpOutcome.Response)) {
            throw new IllegalStateException("sender: " + outcome);
          }
          answered.increment();
          send(sender, url);
        });
  }

  private static Vertx eventLoops() {
    return Vertx.vertx(
        new VertxOptions().setEventLoopPoolSize(Runtime.getRuntime().availableProcessors()));
  }

  private void vertx() {
    Vertx vertx = eventLoops();
    HttpClient client = vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(64));
    for (int i = 0; i < ENDPOINTS; i++) {
      String host = Addresses.loopback(i);
      RequestOptions options =
          new RequestOptions()
              .setMethod(HttpMethod.POST)
              .setServer(SocketAddress.inetSocketAddress(port, host))
              .setHost(host)
              .setPort(port)
              .setURI("/hook");
      vertx.getOrCreateContext().runOnContext(nothing -> post(client, options));
    }
  }

  private void post(HttpClient client, RequestOptions options) {
    client
        .request(options)
        .compose(request -> withHeaders(request).send(Buffer.buffer(body)))
        .compose(HttpClientResponse::end)
        .onComplete(
            done -> {
              if (done.failed()) {
                throw new IllegalStateException("vertx", done.cause());
              }
              answered.increment();
              post(client, options);
            });
  }

  private static HttpClientRequest withHeaders(HttpClientRequest request) {
    request.putHeader("Content-Type", CONTENT_TYPE);
    HEADERS.forEach(header -> request.putHeader(header.getKey(), header.getValue()));
    return request;
  }
}
