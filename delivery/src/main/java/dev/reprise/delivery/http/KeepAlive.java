package dev.reprise.delivery.http;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what an HTTP/1 response says about its connection (RFC 9112, 9.3). */
final class KeepAlive {
  private static final Pattern TIMEOUT =
      Pattern.compile("(?:^|[\\s,])timeout\\s*=\\s*\"?([0-9]{1,9})", Pattern.CASE_INSENSITIVE);

  private KeepAlive() {}

  /** Lets a connection live no longer after a response than the endpoint says. */
  static void apply(HttpResponse response, PooledConnection connection) {
    if (!HttpUtil.isKeepAlive(response)) {
      connection.retireAfterUse();
      return;
    }
    String header = response.headers().get("keep-alive");
    if (header != null) {
      Matcher timeout = TIMEOUT.matcher(header);
      if (timeout.find()) {
        long nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(timeout.group(1)));
        connection.keepAliveNanos = Math.min(connection.keepAliveNanos, nanos);
      }
    }
  }
}
