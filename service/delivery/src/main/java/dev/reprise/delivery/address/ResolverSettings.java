package dev.reprise.delivery.address;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Name servers, search domains and {@code ndots}, as {@code resolv.conf} gives them and by the
 * rules of glibc: the first three name servers count, {@code search} and {@code domain} replace
 * each other, and where no name server is named it is the one of this machine. No other one is ever
 * asked: the names of a house must not leave it.
 *
 * <p>Two things are left: the domain of the host's own name is not searched when the file names
 * none (musl does not either), and {@code timeout} and {@code attempts} are not read.
 *
 * @param servers at least one
 * @param search without dots at the ends; may be empty
 * @param ndots 0 to 15: a name with fewer dots is tried with the search domains first
 * @param leftOut lines of name servers that are no IP address, or in a network that this machine
 *     does not have now
 */
record ResolverSettings(
    List<InetSocketAddress> servers, List<String> search, int ndots, List<String> leftOut) {
  private static final int PORT = 53;
  private static final int MAX_SERVERS = 3;
  private static final int MAX_NDOTS = 15;
  private static final int MAX_NAME = 253;

  ResolverSettings {
    servers = List.copyOf(servers);
    search = List.copyOf(search);
    leftOut = List.copyOf(leftOut);
  }

  /** Reads the lines of a file; those that are not understood are left out, as glibc does. */
  static ResolverSettings parse(List<String> lines) {
    return parse(lines, PORT);
  }

  /**
   * Reads the lines of a file.
   *
   * @param port of the name servers: the file cannot name one
   */
  static ResolverSettings parse(List<String> lines, int port) {
    List<InetSocketAddress> servers = new ArrayList<>();
    List<String> leftOut = new ArrayList<>();
    List<String> search = List.of();
    int ndots = 1;
    for (String line : lines) {
      // Keywords and comments begin in the first column, and nowhere else.
      String[] words = line.stripTrailing().split("\\s+");
      if (line.startsWith("#") || line.startsWith(";") || words.length < 2) {
        continue;
      }
      switch (words[0]) {
        case "nameserver" -> {
          InetSocketAddress server = server(words[1], port);
          if (server == null) {
            leftOut.add(words[1]);
          } else if (servers.size() < MAX_SERVERS) {
            servers.add(server);
          }
        }
        case "domain" -> search = domains(words, 2);
        case "search" -> search = domains(words, words.length);
        case "options" -> ndots = ndots(words, ndots);
        default -> {}
      }
    }
    if (servers.isEmpty()) {
      servers.add(new InetSocketAddress(loopback(), port));
    }
    return new ResolverSettings(servers, search, ndots, leftOut);
  }

  /**
   * Returns the absolute names that are asked for in turn, until one has an address. Like glibc: a
   * name that ends with a dot is absolute, one with {@link #ndots} dots or more is tried as it is
   * first, any other with the search domains first.
   *
   * @return at least one, each with a dot at the end
   */
  List<String> candidates(String name) {
    if (name.endsWith(".")) {
      return List.of(name);
    }
    Set<String> names = new LinkedHashSet<>();
    boolean asItIsFirst = name.chars().filter(c -> c == '.').count() >= ndots;
    if (asItIsFirst) {
      names.add(name + ".");
    }
    for (String domain : search) {
      if (name.length() + 1 + domain.length() <= MAX_NAME) {
        names.add(name + "." + domain + ".");
      }
    }
    names.add(name + ".");
    return List.copyOf(names);
  }

  private static @Nullable InetSocketAddress server(String text, int port) {
    // Anything else than an address would be looked up, by the name servers that are sought here.
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
    if (bytes == null) {
      return null;
    }
    try {
      int percent = text.indexOf('%');
      return new InetSocketAddress(
          percent < 0
              ? InetAddress.getByAddress(bytes)
              : Inet6Address.getByAddress(null, bytes, network(text.substring(percent + 1))),
          port);
    } catch (IOException e) {
      return null;
    }
  }

  /** Returns whether a name server is left out only until its network is there. */
  boolean mayComplete() {
    return leftOut.stream().anyMatch(each -> each.indexOf('%') >= 0);
  }

  /** The number of a network by its name or number. */
  private static int network(String scope) throws IOException {
    if (scope.matches("[0-9]{1,9}")) {
      return Integer.parseInt(scope);
    }
    NetworkInterface network = NetworkInterface.getByName(scope);
    if (network == null) {
      throw new UnknownHostException(scope);
    }
    return network.getIndex();
  }

  private static List<String> domains(String[] words, int end) {
    List<String> domains = new ArrayList<>();
    for (int i = 1; i < end; i++) {
      String domain = words[i].toLowerCase(Locale.ROOT).replaceAll("^\\.+|\\.+$", "");
      if (!domain.isEmpty() && HostNames.isAscii(domain)) {
        domains.add(domain);
      }
    }
    return domains;
  }

  private static int ndots(String[] words, int before) {
    int ndots = before;
    for (String word : words) {
      if (word.matches("ndots:[0-9]{1,9}")) {
        ndots = Math.min(MAX_NDOTS, Integer.parseInt(word.substring("ndots:".length())));
      }
    }
    return ndots;
  }

  private static InetAddress loopback() {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
