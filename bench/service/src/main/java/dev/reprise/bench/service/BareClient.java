package dev.reprise.bench.service;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * The limit: the same HTTP client as the service's, posting to the same sink as fast as it can,
 * with no service around it. A process of its own, like the service.
 */
final class BareClient {
  private static final int IN_FLIGHT = 256;

  private final HttpClient client;
  private final int port;
  private final Buffer body;
  private int next;

  private BareClient(HttpClient client, int port, Buffer body) {
    this.client = client;
    this.port = port;
    this.body = body;
  }

  /** Arguments: the sink's port, the number of addresses, the body's bytes. Runs until killed. */
  public static void main(String[] args) throws InterruptedException {
    int port = Integer.parseInt(args[0]);
    int addresses = Integer.parseInt(args[1]);
    Buffer body = Buffer.buffer("x".repeat(Integer.parseInt(args[2])));
    Vertx vertx = Vertx.vertx();
    int lanes = Runtime.getRuntime().availableProcessors();
    for (int lane = 0; lane < lanes; lane++) {
      HttpClient client =
          vertx.createHttpClient(
              new HttpClientOptions().setTcpNoDelay(true), new PoolOptions().setHttp1MaxSize(64));
      int first = lane;
      Context context = vertx.getOrCreateContext();
      for (int i = 0; i < IN_FLIGHT / lanes; i++) {
        BareClient loop = new BareClient(client, port, body);
        loop.next = first + i * lanes;
        context.runOnContext(nothing -> loop.post(addresses, lanes * (IN_FLIGHT / lanes)));
      }
    }
    Thread.currentThread().join();
  }

  private void post(int addresses, int step) {
    String host = Addresses.loopback(next % addresses);
    next = (next + step) % addresses;
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setServer(SocketAddress.inetSocketAddress(port, host))
            .setHost(host)
            .setPort(port)
            .setURI("/hook");
    client
        .request(options)
        .compose(request -> request.send(body).compose(response -> response.end()))
        .onComplete(
            done -> {
              if (done.failed()) {
                System.err.println("bare client: " + done.cause());
              }
              post(addresses, step);
            });
  }

  static Process start(int port, int addresses, int bodyBytes, String... jvmFlags)
      throws java.io.IOException {
    List<String> command = new java.util.ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(jvmFlags));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(BareClient.class.getName(), "" + port, "" + addresses, "" + bodyBytes));
    return new ProcessBuilder(command).inheritIO().start();
  }
}
