package dev.reprise.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;

/** Rules of HTTP for the head of a request that its decoder does not check. */
public final class RequestHead {
  private RequestHead() {}

  /**
   * Refuses a request whose end cannot be known. The decoder takes one by its {@code
   * Content-Length} whose {@code Transfer-Encoding} it does not know, where a proxy may have seen
   * another end: what stands behind it would be a request to one and a body to the other. RFC 9112,
   * section 6.1: nothing that follows on its connection may be read.
   *
   * @throws ApiException 400
   */
  public static void checkFraming(HttpServerRequest request) {
    List<String> encodings = request.headers().getAll("Transfer-Encoding");
    if (encodings.isEmpty()) {
      return;
    }
    String all = String.join(", ", encodings);
    if (!all.strip().equalsIgnoreCase("chunked") || request.version() != HttpVersion.HTTP_1_1) {
      throw ApiException.invalid(
          "Transfer-Encoding",
          RequestFields.shortened(all),
          "must be chunked and nothing else, in HTTP/1.1");
    }
  }

  /**
   * Refuses a request of HTTP/1.1 without exactly one {@code Host}: RFC 9112, section 3.2.
   *
   * @throws ApiException 400
   */
  public static void checkHost(HttpServerRequest request) {
    int hosts = request.headers().getAll("Host").size();
    if (hosts != 1 && request.version() == HttpVersion.HTTP_1_1) {
      throw ApiException.invalid(
          "Host", hosts == 0 ? "absent" : "given " + hosts + " times", "must be given once");
    }
  }
}
