package dev.reprise.server.peer;

import dev.reprise.cluster.peer.NotSentException;
import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.address.VettedResolver.Resolution;
import dev.reprise.delivery.address.VettedResolver.Unresolved;
import dev.reprise.delivery.address.VettedResolver.Vetted;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connects to other nodes. Their names are looked up as those of endpoints are, by the files of
 * this machine: the resolver of Vert.x asks a public name server where the machine names none. Each
 * address is tried, the one that was reached last before the others.
 *
 * <p>A look-up has 2 seconds. Where the name servers are silent or fail, the address that was
 * reached last is the only one: connections to it are kept alive, and would be lost with the name.
 * It is not used once a name server says that the name does not exist. Blocks nothing; safe for use
 * by many threads.
 */
final class NodeConnector {
  private static final int LOOK_UP_MILLIS = 2_000;

  /** After it no further address is begun; the next request begins with the one reached last. */
  private static final long REACH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int MAX_NAMES = 1_000;

  private final Vertx vertx;
  private final HttpClient client;
  private final VettedResolver names;

  /** By the name of a host: the address that was reached last. */
  private final ConcurrentHashMap<String, String> reached = new ConcurrentHashMap<>();

  /**
   * A connector for the nodes of a cluster.
   *
   * @param names is to vet nothing; not closed by this
   */
  NodeConnector(Vertx vertx, HttpClient client, VettedResolver names) {
    this.vertx = vertx;
    this.client = client;
    this.names = names;
  }

  /**
   * Returns a request to a node on a connection that is there; nothing of it is sent yet.
   *
   * @param url the node's, without a path
   * @param options their host stays as it is, for TLS and the header {@code Host}
   */
  Future<HttpClientRequest> request(String url, RequestOptions options) {
    EndpointUrl.Parsed parsed = EndpointUrl.parse(url, AddressGuard.ofOperator());
    EndpointUrl node = parsed.url();
    if (node == null) {
      return Future.failedFuture(
          new NotSentException(
              "--node-url: " + url + " is refused: " + String.join("; ", parsed.problems())));
    }
    CompletableFuture<Resolution> resolution = new CompletableFuture<>();
    names.resolve(node, resolution::complete);
    // As the resolver says it later: two texts in turn would fill the log.
    Unresolved late =
        new Unresolved(
            "host '" + node.host() + "' cannot be resolved: the name server did not answer", false);
    // What follows is not the work of the thread that looks names up.
    return Future.fromCompletionStage(
            resolution.completeOnTimeout(late, LOOK_UP_MILLIS, TimeUnit.MILLISECONDS),
            vertx.getOrCreateContext())
        .compose(
            found -> {
              List<String> addresses = addresses(node.host(), found);
              return addresses.isEmpty()
                  ? Future.failedFuture(new NotSentException("--node-url: " + found.describe()))
                  : reach(node, options, addresses, 0, System.nanoTime() + REACH_NANOS, null);
            });
  }

  /** The addresses to try, in this order; empty if there are none. */
  private List<String> addresses(String host, Resolution resolution) {
    String last = reached.get(host);
    List<String> addresses = new ArrayList<>();
    if (resolution instanceof Vetted found) {
      for (int i = 0; i < found.size(); i++) {
        addresses.add(found.address(i));
      }
      if (last != null && addresses.remove(last)) {
        addresses.add(0, last);
      }
    } else if (resolution instanceof Unresolved unresolved && unresolved.absent()) {
      reached.remove(host);
    } else if (last != null) {
      addresses.add(last);
    }
    return addresses;
  }

  private Future<HttpClientRequest> reach(
      EndpointUrl node,
      RequestOptions options,
      List<String> addresses,
      int place,
      long untilNanos,
      @Nullable Throwable before) {
    String address = addresses.get(place);
    return client
        .request(
            new RequestOptions(options)
                .setServer(SocketAddress.inetSocketAddress(node.port(), address)))
        .onSuccess(request -> reached(node.host(), address))
        .recover(
            error -> {
              // Of the address that matters most.
              Throwable first = before == null ? error : before;
              return place + 1 < addresses.size() && System.nanoTime() - untilNanos < 0
                  ? reach(node, options, addresses, place + 1, untilNanos, first)
                  : Future.failedFuture(first);
            });
  }

  private void reached(String host, String address) {
    if (reached.size() >= MAX_NAMES) {
      // Nodes come and go; those that are there are remembered again at once.
      reached.clear();
    }
    reached.put(host, address);
  }
}
