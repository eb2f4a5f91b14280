package dev.reprise.core.http;

import dev.reprise.core.StopReason;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A response whose body was read later than its head.
 *
 * @param stopReason why it was not retried, although it is worth a retry
 */
record ReadResponse<T extends @Nullable Object>(
    HttpResponse<?> head, T body, @Nullable StopReason stopReason) implements HttpResponse<T> {
  @Override
  public int statusCode() {
    return head.statusCode();
  }

  @Override
  public HttpRequest request() {
    return head.request();
  }

  /** Its body, which the client drops, is null, so it is of any type. */
  @Override
  @SuppressWarnings("unchecked")
  public Optional<HttpResponse<T>> previousResponse() {
    return head.previousResponse().map(previous -> (HttpResponse<T>) previous);
  }

  @Override
  public HttpHeaders headers() {
    return head.headers();
  }

  @Override
  public Optional<SSLSession> sslSession() {
    return head.sslSession();
  }

  @Override
  public URI uri() {
    return head.uri();
  }

  @Override
  public HttpClient.Version version() {
    return head.version();
  }

  /** Returns the same text as the client's own responses, with neither headers nor body. */
  @Override
  public String toString() {
    return head.toString();
  }
}
