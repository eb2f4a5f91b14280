package dev.reprise.delivery.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the head of a proxy's answer to {@code CONNECT} (RFC 9110, 9.3.6), part by part. What comes
 * after the head is left alone: with a status 2xx it belongs to the tunnel, otherwise it is not
 * needed.
 */
final class ConnectAnswer {
  /** The most that a head may have, interim ones before it included, in bytes. */
  static final int MAX_BYTES = 16 * 1024;

  private static final String VERSION = "HTTP/1.";
  private static final Pattern STATUS_LINE =
      Pattern.compile("HTTP/1\\.[01] ([1-9][0-9]{2})(?: (.*))?");
  private static final int MAX_REASON = 80;

  /** Why a proxy could not reach an endpoint, as it may say so (RFC 9209, 2.3). */
  private static final Set<String> ERRORS_OF_ENDPOINTS =
      Set.of(
          "connection_refused",
          "connection_terminated",
          "connection_timeout",
          "destination_ip_unroutable",
          "destination_not_found",
          "destination_unavailable",
          "dns_error",
          "dns_timeout");

  private static final Pattern PROXY_STATUS_ERROR =
      Pattern.compile(";\\s*error=([a-z_]+)", Pattern.CASE_INSENSITIVE);

  /** The same from Squid, which does not know RFC 9209. */
  private static final Pattern SQUID_ERROR =
      Pattern.compile("(ERR_CONNECT_FAIL|ERR_DNS_FAIL)\\b.{0,20}");

  private final List<String> lines = new ArrayList<>();
  private final StringBuilder line = new StringBuilder();
  private int bytes;
  private int status;
  private String reason = "";

  /**
   * Takes what has come; stops behind the head.
   *
   * @return whether the head is complete
   * @throws IllegalArgumentException if it is no head of an HTTP/1 response, with the reason
   */
  boolean read(ByteBuf part) {
    while (part.isReadable()) {
      if (++bytes > MAX_BYTES) {
        throw new IllegalArgumentException("its head has more than " + MAX_BYTES + " bytes");
      }
      char c = (char) part.readUnsignedByte();
      if (c != '\n') {
        line.append(c);
        checkBeginning();
      } else if (endLine()) {
        return true;
      }
    }
    return false;
  }

  /** Says at once that it is no HTTP, and does not wait for the end of a line. */
  private void checkBeginning() {
    int last = line.length() - 1;
    if (lines.isEmpty() && last < VERSION.length() && line.charAt(last) != VERSION.charAt(last)) {
      throw new IllegalArgumentException("it does not begin with " + VERSION);
    }
  }

  private boolean endLine() {
    int length = line.length();
    if (length > 0 && line.charAt(length - 1) == '\r') {
      line.setLength(length - 1);
    }
    String text = line.toString();
    line.setLength(0);
    if (lines.isEmpty()) {
      Matcher statusLine = STATUS_LINE.matcher(text);
      if (!statusLine.matches()) {
        throw new IllegalArgumentException("it does not begin with a status line");
      }
      status = Integer.parseInt(statusLine.group(1));
      String phrase = statusLine.group(2);
      reason = phrase == null ? "" : phrase.substring(0, Math.min(MAX_REASON, phrase.length()));
    }
    if (!text.isEmpty()) {
      lines.add(text);
      return false;
    }
    if (status < 200) {
      // An interim response; the final one follows (RFC 9110, 15.2).
      lines.clear();
      return false;
    }
    return true;
  }

  /** Whether the tunnel is there. */
  boolean isTunnel() {
    return status / 100 == 2;
  }

  /**
   * Why there is no tunnel.
   *
   * @param target the address and port that was asked for
   */
  TunnelException refusal(HttpProxy proxy, String target) {
    String said = status + (reason.isEmpty() ? "" : " " + reason);
    String failure = failureOfEndpoint();
    if (failure != null) {
      return TunnelException.ofEndpoint(
          "the proxy " + proxy + " cannot reach " + target + ": " + said + ", " + failure);
    }
    String refused = "the proxy " + proxy + " refused a tunnel to " + target + ": " + said;
    return switch (status) {
      case 407 ->
          TunnelException.ofProxy(
              "the proxy " + proxy + " does not accept the credentials it was given: " + said);
      case 403 ->
          TunnelException.refused(
              refused + "; its rules must allow CONNECT to this port and address");
      case 500, 502, 503, 504 ->
          TunnelException.atAddress(
              "the proxy " + proxy + " made no tunnel to " + target + ": " + said);
      default -> TunnelException.refused(refused);
    };
  }

  /**
   * Returns what the proxy says of the endpoint; null if it says nothing, or something of itself.
   */
  private @Nullable String failureOfEndpoint() {
    for (String header : lines) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("proxy-status:")) {
        Matcher error = PROXY_STATUS_ERROR.matcher(lower);
        if (error.find() && ERRORS_OF_ENDPOINTS.contains(error.group(1))) {
          return error.group(1);
        }
      } else if (lower.startsWith("x-squid-error:")) {
        Matcher error = SQUID_ERROR.matcher(header);
        if (error.find()) {
          return error.group();
        }
      }
    }
    return null;
  }

  /** The request that this is the answer to. */
  static byte[] request(HttpProxy proxy, String target) {
    String authorization =
        proxy.authorization().isEmpty()
            ? ""
            : "Proxy-Authorization: " + proxy.authorization() + "\r\n";
    return ("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n" + authorization + "\r\n")
        .getBytes(ISO_8859_1);
  }
}
