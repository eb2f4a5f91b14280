package dev.reprise.server.peer;

import dev.reprise.cluster.ClusterHost;
import dev.reprise.cluster.PeerClient;
import dev.reprise.cluster.ShardMap;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reaches the other nodes of the cluster at their APIs. Safe for use by many threads. */
public final class Peers implements PeerClient, AutoCloseable {
  /** Names the caller of a request that comes from another node, and proves it. */
  public static final String HEADER = "Reprise-Peer";

  /** Where nodes ask each other. */
  public static final String PATH = "/v1/peer";

  /** Where nodes have changes recorded. */
  public static final String AUDIT_PATH = "/v1/peer/audit";

  private static final int TIMEOUT_MILLIS = 15_000;
  private static final int MAX_CONNECTIONS = 32;

  /** The headers of a client that matter to an operation. */
  private static final List<String> PASSED =
      List.of("Content-Type", "Reprise-Project", "Idempotency-Key", "traceparent", "tracestate");

  private final ClusterHost host;
  private final PeerSecret secret;
  private final HttpClient client;

  /**
   * A request that another node has answered.
   *
   * @param contentType empty without a body
   */
  public record Answered(int status, String contentType, MultiMap headers, byte[] body) {}

  /** The peers of a node. */
  public Peers(Vertx vertx, ClusterHost host, PeerSecret secret) {
    this.host = host;
    this.secret = secret;
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAlive(true).setDecompressionSupported(false),
            new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS));
  }

  /** Returns the secret by which requests of other nodes are known. */
  public PeerSecret secret() {
    return secret;
  }

  /** Returns the node that owns a shard; null if none does just now. */
  public ShardMap.@Nullable Node owner(int shard) {
    ShardMap map = host.map();
    return shard < map.shards() ? map.owner(shard) : null;
  }

  /** Answers a request that another node has sent by {@link #call}. */
  public CompletionStage<byte[]> answer(byte[] request) {
    return host.answer(request);
  }

  @Override
  public CompletionStage<byte[]> call(ShardMap.Node node, byte[] request) {
    return call(node, PATH, request);
  }

  /** Has a change recorded by another node. */
  public CompletionStage<byte[]> record(ShardMap.Node node, byte[] change) {
    return call(node, AUDIT_PATH, change);
  }

  private CompletionStage<byte[]> call(ShardMap.Node node, String path, byte[] request) {
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/octet-stream");
    return send(node, "", "POST", path, headers, request)
        .thenApply(
            answered -> {
              if (answered.status() != 200) {
                throw new IllegalStateException(
                    "node " + node.name() + " answered " + answered.status());
              }
              return answered.body();
            });
  }

  /**
   * Has another node do what a client has asked for.
   *
   * @param caller the id of the client's API key
   * @param uri path and query
   */
  public CompletionStage<Answered> forward(
      ShardMap.Node node,
      String caller,
      String method,
      String uri,
      MultiMap clientHeaders,
      byte[] body) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    for (String name : PASSED) {
      List<String> values = new ArrayList<>(clientHeaders.getAll(name));
      if (!values.isEmpty()) {
        headers.add(name, values);
      }
    }
    return send(node, caller, method, uri, headers, body);
  }

  private CompletionStage<Answered> send(
      ShardMap.Node node, String caller, String method, String uri, MultiMap headers, byte[] body) {
    RequestOptions options;
    try {
      headers.set(HEADER, secret.sign(caller, method, uri));
      options =
          new RequestOptions()
              .setMethod(HttpMethod.valueOf(method))
              .setAbsoluteURI(node.url() + uri)
              .setTimeout(TIMEOUT_MILLIS)
              .setHeaders(headers);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    // The body is asked for on the thread that reads it: elsewhere it may have passed by.
    Future<Answered> answered =
        client
            .request(options)
            .compose(
                request ->
                    request.send(Buffer.buffer(body)).compose(Peers::answered));
    return answered.toCompletionStage();
  }

  private static Future<Answered> answered(HttpClientResponse response) {
    return response
        .body()
        .map(
            read -> {
              String type = response.getHeader("Content-Type");
              return new Answered(
                  response.statusCode(),
                  type == null ? "" : type,
                  response.headers(),
                  read.getBytes());
            });
  }

  @Override
  public void close() {
    var unused = client.close();
  }
}
