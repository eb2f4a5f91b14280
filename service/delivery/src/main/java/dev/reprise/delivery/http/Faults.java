package dev.reprise.delivery.http;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http2.Http2Exception;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Describes what went wrong on the network, for the readers of an attempt log. */
final class Faults {
  private static final int MAX_LENGTH = 300;

  private Faults() {}

  /** Whether another address of the same host is worth a try: TCP itself failed. */
  static boolean isOfTcp(Throwable fault) {
    return fault instanceof SocketException
        || (fault instanceof TunnelException tunnel && tunnel.isWorthAnotherAddress());
  }

  /** Whether the head of a response over HTTP/2 was too long for any of it to be read. */
  static boolean isOfLongHead(Throwable fault) {
    return fault instanceof Http2Exception && says(fault, "header size exceeded");
  }

  /** A fault before a connection was there. */
  static String connecting(Throwable fault, String address, String host) {
    if (fault instanceof TunnelException) {
      return clean(message(fault));
    }
    if (fault instanceof ConnectTimeoutException) {
      return "connecting to " + address + " timed out";
    }
    if (fault instanceof NoRouteToHostException || says(fault, "no route")) {
      return "no route to " + address;
    }
    if (says(fault, "unreachable")) {
      return "the network of " + address + " is unreachable";
    }
    if (fault instanceof ConnectException && says(fault, "refused")) {
      return "connection to " + address + " refused";
    }
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SSLException) {
        return clean(
            "TLS handshake with " + host + " at " + address + " failed: " + message(fault));
      }
    }
    return clean("connecting to " + address + " failed: " + message(fault));
  }

  /**
   * A fault after the request was, or may have been, on its way.
   *
   * @param goAway the code of the GOAWAY that came on the HTTP/2 connection; null if none came
   */
  static String exchanging(Throwable fault, String address, @Nullable Long goAway) {
    if (root(fault) instanceof AnswerException answer) {
      return address + " " + answer.getMessage();
    }
    if (fault instanceof HttpClosedException
        || fault instanceof ClosedChannelException
        || fault instanceof PrematureChannelClosureException) {
      // What it says of a GOAWAY itself cannot be read: Vert.x has released that by now.
      return address
          + " closed the connection before its response was complete"
          + (goAway == null ? "" : " (HTTP/2 GOAWAY, code " + goAway + ")");
    }
    if (fault instanceof StreamResetException reset) {
      return address + " reset the HTTP/2 stream, code " + reset.getCode();
    }
    if (fault instanceof SocketException && says(fault, "reset")) {
      return address + " reset the connection before its response was complete";
    }
    if (isOfLongHead(fault)) {
      return address + " " + AnswerException.head(HttpSenderSettings.MAX_HEAD_BYTES).getMessage();
    }
    if (fault instanceof DecoderException || fault instanceof IllegalArgumentException) {
      return clean("the answer of " + address + " is not HTTP: " + message(fault));
    }
    return clean("the exchange with " + address + " failed: " + message(fault));
  }

  private static boolean says(Throwable fault, String word) {
    String message = fault.getMessage();
    return message != null && message.toLowerCase(Locale.ROOT).contains(word);
  }

  private static Throwable root(Throwable fault) {
    Throwable root = fault;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root;
  }

  private static String message(Throwable fault) {
    Throwable root = root(fault);
    String message = root.getMessage();
    return message == null || message.isBlank() ? root.getClass().getSimpleName() : message;
  }

  /** One line of printable characters: parts of it came from strangers. */
  static String clean(String text) {
    StringBuilder out = new StringBuilder(Math.min(text.length(), MAX_LENGTH));
    for (int i = 0; i < text.length() && out.length() < MAX_LENGTH; i++) {
      char c = text.charAt(i);
      out.append(c < ' ' || (c >= 0x7f && c < 0xa0) ? '?' : c);
    }
    return out.toString();
  }
}
