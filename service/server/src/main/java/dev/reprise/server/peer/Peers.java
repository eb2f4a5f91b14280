package dev.reprise.server.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.cluster.peer.NotSentException;
import dev.reprise.cluster.peer.OwnerCalls;
import dev.reprise.cluster.peer.PeerClient;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.host.ShardElsewhereException;
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
import io.vertx.core.net.PemTrustOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reaches the other nodes of the cluster at their APIs. A node that is reached over HTTPS sends
 * nothing to one that is not. Safe for use by many threads.
 */
public final class Peers implements PeerClient, AutoCloseable {
  /** Names the caller of a request that comes from another node, and proves it. */
  public static final String HEADER = "Reprise-Peer";

  /** Marks an answer of a node that does not take a request for one of its cluster. */
  public static final String REFUSED_HEADER = "Reprise-Peer-Refused";

  /** Where nodes ask each other. */
  public static final String PATH = "/v1/peer";

  /** Where nodes have changes recorded. */
  public static final String AUDIT_PATH = "/v1/peer/audit";

  /** Where nodes report sessions that have ended. */
  public static final String SESSION_PATH = "/v1/peer/session";

  /** Where nodes report their state. */
  public static final String NODE_PATH = "/v1/peer/node";

  /** Where a node has an operator's key made. */
  public static final String KEY_PATH = "/v1/peer/key";

  private static final Duration KEY_WAIT = Duration.ofSeconds(30);
  private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

  /** A change may wait for what it checks, a carrier above all. */
  private static final int CHANGE_MILLIS = 45_000;

  private static final int QUESTION_MILLIS = 15_000;
  private static final int CONNECT_MILLIS = 2_000;
  private static final int MAX_CONNECTIONS = 128;

  /** The headers of a client that matter to an operation. */
  private static final List<String> PASSED =
      List.of("Content-Type", "Reprise-Project", "Idempotency-Key", "traceparent", "tracestate");

  private final ClusterHost host;
  private final PeerSecret secret;
  private final String ownUrl;
  private final HttpClient client;
  private final NodeConnector connector;
  private final OwnerCalls keyCalls = new OwnerCalls(this::owner, KEY_WAIT);

  /** Why nodes are not reached: logged once, and when it is over. */
  private final Map<ShardMap.Node, String> unreached = new ConcurrentHashMap<>();

  /**
   * A request that another node has answered.
   *
   * @param node the name of the node
   * @param contentType empty without a body
   */
  public record Answered(
      String node, int status, String contentType, MultiMap headers, byte[] body) {}

  /**
   * The peers of a node.
   *
   * @param ownUrl where they reach it
   * @param authority those whose certificates the others have; null for the usual ones
   * @param names looks up the hosts of their URLs; not closed by this
   */
  public Peers(
      Vertx vertx,
      ClusterHost host,
      PeerSecret secret,
      String ownUrl,
      @Nullable PemTrustOptions authority,
      VettedResolver names) {
    this.host = host;
    this.secret = secret;
    this.ownUrl = ownUrl;
    HttpClientOptions options =
        new HttpClientOptions()
            .setKeepAlive(true)
            .setDecompressionSupported(false)
            .setConnectTimeout(CONNECT_MILLIS)
            .setVerifyHost(true);
    if (authority != null) {
      options.setTrustOptions(authority);
    }
    this.client =
        vertx.createHttpClient(options, new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS));
    this.connector = new NodeConnector(vertx, client, names);
  }

  /** Returns the secret by which requests of other nodes are known. */
  public PeerSecret secret() {
    return secret;
  }

  /** Returns this node. */
  public ClusterHost host() {
    return host;
  }

  /** Returns the node that owns a shard; null if none does just now. */
  public ShardMap.@Nullable Node owner(int shard) {
    ShardMap map = host.map();
    return shard < map.shards() ? map.owner(shard) : null;
  }

  /** Returns the nodes that the group knows, without this one. */
  public List<ShardMap.Node> others() {
    ShardMap.Node self = new ShardMap.Node(host.node(), host.settings().url());
    return host.map().nodes().stream().filter(node -> !node.equals(self)).toList();
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

  /** Notifies all other nodes that a session has ended, but for those that are not reached. */
  public void sessionEnded(byte[] session) {
    for (ShardMap.Node node : others()) {
      var unused = call(node, SESSION_PATH, session);
    }
  }

  /** Asks another node how it is. */
  public CompletionStage<byte[]> describe(ShardMap.Node node) {
    return call(node, NODE_PATH, new byte[0]);
  }

  /**
   * Has the owner of the catalog make an operator's key. Blocks.
   *
   * @return the key
   * @throws IllegalStateException if it is not reached in a while
   */
  public String createKey(String name) {
    try {
      return keyCalls.await(
          0,
          new OwnerCalls.Question<byte[], String>() {
            @Override
            public CompletionStage<byte[]> there(ShardMap.Node owner) {
              return call(owner, KEY_PATH, name.getBytes(UTF_8));
            }

            @Override
            public String read(byte[] key) {
              return new String(key, UTF_8);
            }

            @Override
            public boolean mayRepeat() {
              return true;
            }
          },
          why -> {});
    } catch (ShardElsewhereException e) {
      throw new IllegalStateException(
          "the owner of the catalog has made no key: " + e.getMessage(), e);
    }
  }

  private CompletionStage<byte[]> call(ShardMap.Node node, String path, byte[] request) {
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/octet-stream");
    return send(node, "", "", "POST", path, headers, request, QUESTION_MILLIS)
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
   * Has another node do what a client has asked for. Fails with {@link NotSentException} if it has
   * not got the request.
   *
   * @param caller the id of the client's API key
   * @param client the client's address; may be empty
   * @param uri path and query
   */
  public CompletionStage<Answered> forward(
      ShardMap.Node node,
      String caller,
      String client,
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
    int millis = method.equals("GET") ? QUESTION_MILLIS : CHANGE_MILLIS;
    return send(node, caller, client, method, uri, headers, body, millis);
  }

  private CompletionStage<Answered> send(
      ShardMap.Node node,
      String caller,
      String from,
      String method,
      String uri,
      MultiMap headers,
      byte[] body,
      int millis) {
    RequestOptions options;
    try {
      requireAsSafe(node);
      headers.set(HEADER, secret.sign(caller, from, method, uri));
      options =
          new RequestOptions()
              .setMethod(HttpMethod.valueOf(method))
              .setAbsoluteURI(node.url() + uri)
              .setConnectTimeout(CONNECT_MILLIS)
              .setIdleTimeout(millis)
              .setHeaders(headers);
    } catch (NotSentException e) {
      told(node, e);
      return CompletableFuture.failedFuture(e);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(new NotSentException(reason(e), e));
    }
    Future<Answered> answered =
        connector
            .request(node.url(), options)
            .recover(
                error -> {
                  NotSentException notSent = new NotSentException(reason(error), error);
                  told(node, notSent);
                  return Future.failedFuture(notSent);
                })
            .compose(
                request -> {
                  reached(node);
                  return request
                      .send(Buffer.buffer(body))
                      .compose(response -> read(node, response))
                      .timeout(millis, TimeUnit.MILLISECONDS);
                });
    return answered.toCompletionStage();
  }

  private static Future<Answered> read(ShardMap.Node node, HttpClientResponse response) {
    return response
        .body()
        .map(
            read -> {
              String type = response.getHeader("Content-Type");
              return new Answered(
                  node.name(),
                  response.statusCode(),
                  type == null ? "" : type,
                  response.headers(),
                  read.getBytes());
            });
  }

  /** Bodies of messages must not leave TLS because one node was configured otherwise. */
  private void requireAsSafe(ShardMap.Node node) {
    if (isHttps(ownUrl) && !isHttps(node.url())) {
      throw new NotSentException(
          "its URL is "
              + node.url()
              + ", and this node, whose URL is "
              + ownUrl
              + ", sends nothing to it without TLS: see --node-url");
    }
  }

  private static boolean isHttps(String url) {
    return url.toLowerCase(Locale.ROOT).startsWith("https:");
  }

  private void told(ShardMap.Node node, NotSentException error) {
    String reason = String.valueOf(error.getMessage());
    if (!reason.equals(unreached.put(node, reason))) {
      LOG.warn("node {} at {} is not reached: {}", node.name(), node.url(), reason);
    }
  }

  private void reached(ShardMap.Node node) {
    if (unreached.remove(node) != null) {
      LOG.info("node {} at {} is reached again", node.name(), node.url());
    }
  }

  /** The innermost reason: of a handshake, the one that says what is wrong with a certificate. */
  private static String reason(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null || message.isBlank() ? cause.toString() : message;
  }

  @Override
  public void close() {
    var unused = client.close();
  }
}
