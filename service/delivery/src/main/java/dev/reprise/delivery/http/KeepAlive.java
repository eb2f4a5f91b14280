package dev.reprise.delivery.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what an HTTP/1 response says about its connection (RFC 9112, 9.3). */
final class KeepAlive {
  private static final Pattern TIMEOUT =
      Pattern.compile("(?:^|[\\s,])timeout\\s*=\\s*\"?([0-9]{1,9})", Pattern.CASE_INSENSITIVE);

  /**
   * The margin before the announced time, in nanoseconds, at most: the endpoint's time begins when
   * its response leaves, and ends before our next request has arrived. Half of a time that is
   * shorter than twice the margin.
   */
  private static final long MARGIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private KeepAlive() {}

  /**
   * Lets a connection go unused for less time than the endpoint says; not at all if it is to be
   * closed, or if its response leaves in doubt where it ends (RFC 9112, 6.1).
   */
  static void apply(HttpResponse response, PooledConnection connection) {
    boolean inDoubt =
        response.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)
            && (response.headers().contains(HttpHeaderNames.CONTENT_LENGTH)
                || response.protocolVersion().minorVersion() == 0);
    if (inDoubt || !HttpUtil.isKeepAlive(response)) {
      connection.retireAfterUse();
      return;
    }
    connection.keepAliveNanos = nanos(response, connection.keepAliveNanos);
  }

  /**
   * Returns how long a connection may go unused, in nanoseconds.
   *
   * @param mostNanos the answer unless the endpoint announces less
   */
  static long nanos(HttpResponse response, long mostNanos) {
    String header = response.headers().get("keep-alive");
    Matcher timeout = header == null ? null : TIMEOUT.matcher(header);
    if (timeout == null || !timeout.find()) {
      return mostNanos;
    }
    long nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(timeout.group(1)));
    return Math.min(mostNanos, nanos - Math.min(MARGIN_NANOS, nanos / 2));
  }
}
