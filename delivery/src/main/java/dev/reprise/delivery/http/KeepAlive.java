package dev.reprise.delivery.http;

import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpVersion;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads what an HTTP/1 response says about its connection (RFC 9112, 9.3). */
final class KeepAlive {
  private static final Pattern TIMEOUT =
      Pattern.compile("(?:^|[\\s,])timeout\\s*=\\s*\"?([0-9]{1,9})", Pattern.CASE_INSENSITIVE);

  private KeepAlive() {}

  /** Lets a connection live no longer after a response than the endpoint says. */
  static void apply(HttpClientResponse response, PooledConnection connection) {
    if (connection.isHttp2()) {
      return;
    }
    if (endsWith(response)) {
      connection.retireAfterUse();
      return;
    }
    String header = response.getHeader(HttpHeaders.KEEP_ALIVE);
    if (header != null) {
      Matcher timeout = TIMEOUT.matcher(header);
      if (timeout.find()) {
        long nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(timeout.group(1)));
        connection.keepAliveNanos = Math.min(connection.keepAliveNanos, nanos);
      }
    }
  }

  private static boolean endsWith(HttpClientResponse response) {
    String header = response.getHeader(HttpHeaders.CONNECTION);
    return response.version() == HttpVersion.HTTP_1_0
        ? !says(header, "keep-alive")
        : says(header, "close");
  }

  private static boolean says(@Nullable String header, String option) {
    if (header != null) {
      for (String part : header.toLowerCase(Locale.ROOT).split(",", -1)) {
        if (part.strip().equals(option)) {
          return true;
        }
      }
    }
    return false;
  }
}
