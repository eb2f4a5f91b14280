package dev.reprise.delivery.http;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The options of an attempt, which few ask for beside their URL, headers and body.
 *
 * @param method the request's method, such as {@code POST} or {@code OPTIONS}; not {@code CONNECT}.
 *     Without a body, only POST, PUT and PATCH have a Content-Type and a Content-Length
 * @param excerptBytes how much of the response's body is kept, in bytes, 0 to {@value
 *     #MAX_EXCERPT_BYTES}
 * @param wanted names of response headers to hand over, in lower case; usually none. As many as
 *     have 8 KB in all
 * @param tls a certificate of the client, an authority to trust; null for the sender's own
 * @param proxy the forward proxy to go through; null to connect to the endpoint itself
 */
public record HttpOptions(
    String method,
    int excerptBytes,
    List<String> wanted,
    @Nullable HttpTls tls,
    @Nullable HttpProxy proxy) {
  /** The most of a response's body that can be kept, in bytes. */
  public static final int MAX_EXCERPT_BYTES = 64 * 1024;

  /** A POST, the usual excerpt, no headers, the sender's own TLS, no proxy. */
  public static final HttpOptions DEFAULT =
      new HttpOptions("POST", HttpSender.MAX_EXCERPT_BYTES, List.of(), null, null);

  /** Checks method, names and range. */
  public HttpOptions {
    if (!RequestHeaders.isToken(method) || method.equals("CONNECT")) {
      throw new IllegalArgumentException(
          "method '" + Faults.clean(method) + "' must be an HTTP token other than CONNECT");
    }
    wanted = List.copyOf(wanted);
    for (String name : wanted) {
      if (!RequestHeaders.isToken(name) || !name.equals(name.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "wanted '" + Faults.clean(name) + "' must be the name of a header in lower case");
      }
    }
    if (excerptBytes < 0 || excerptBytes > MAX_EXCERPT_BYTES) {
      throw new IllegalArgumentException(
          "excerptBytes " + excerptBytes + " must be from 0 to " + MAX_EXCERPT_BYTES);
    }
  }

  /** The same with another method. */
  public HttpOptions withMethod(String newMethod) {
    return new HttpOptions(newMethod, excerptBytes, wanted, tls, proxy);
  }

  /** The same with another part of the response to keep. */
  public HttpOptions withResponse(int newExcerptBytes, List<String> newWanted) {
    return new HttpOptions(method, newExcerptBytes, newWanted, tls, proxy);
  }

  /** The same with other TLS. */
  public HttpOptions withTls(@Nullable HttpTls newTls) {
    return new HttpOptions(method, excerptBytes, wanted, newTls, proxy);
  }

  /** The same through another proxy. */
  public HttpOptions withProxy(@Nullable HttpProxy newProxy) {
    return new HttpOptions(method, excerptBytes, wanted, tls, newProxy);
  }
}
