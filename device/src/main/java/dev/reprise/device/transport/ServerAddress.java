package dev.reprise.device.transport;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a server.
 *
 * @param host its name, or its address without brackets
 * @param port its port, 1 to 65535
 */
public record ServerAddress(String host, int port) {
  /** A name or an address of IPv4, one of IPv6 in brackets, or one of IPv6 without a port. */
  private static final Pattern REFERENCE =
      Pattern.compile(
          "(?:([\\p{L}\\p{N}._-]+)|\\[([0-9A-Fa-f:.]+(?:%\\w+)?)])(?::([0-9]{1,5}))?"
              + "|([0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?:%\\w+)?)");

  private static final int MAX_PORT = 65_535;

  /**
   * Returns where to connect to: to the server that a reference names, or to this one if there is
   * no reference or it cannot be read. What another server says must not keep a device from its
   * own.
   *
   * @param reference {@code host}, {@code host:port}, {@code [address]:port} or null; without a
   *     port that of this address is meant
   */
  public ServerAddress redirectedTo(@Nullable String reference) {
    Matcher parts = REFERENCE.matcher(reference == null ? "" : reference);
    if (!parts.matches()) {
      return this;
    }
    String named = parts.group(1) == null ? parts.group(2) : parts.group(1);
    String digits = parts.group(3);
    int chosen = digits == null ? port : Integer.parseInt(digits);
    if (chosen < 1 || chosen > MAX_PORT) {
      return this;
    }
    return new ServerAddress(named == null ? parts.group(4) : named, chosen);
  }
}
