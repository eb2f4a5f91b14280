package dev.reprise.delivery.address;

import io.netty.resolver.HostsFileEntriesProvider;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of this machine that say how names are found: {@code resolv.conf} and {@code hosts}.
 * Both are read again when a name is looked up and a second has passed, so that a host whose name
 * server comes after the service is followed at once. A file that is not there is an empty one; one
 * that cannot be read is what it was before.
 *
 * <p>For one thread. Reading blocks it, for as long as it takes to read two small files.
 */
final class HostFiles {
  private static final Logger LOG = LoggerFactory.getLogger(HostFiles.class);

  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

  /** Larger files are cut: a hosts file that blocks advertisements has a few megabytes. */
  private static final int MAX_BYTES = 16 << 20;

  private final Path resolvConf;
  private final Path hosts;
  private final int port;
  private final LongSupplier nanoTime;
  private String resolvText = "";
  private String hostsText = "";
  private ResolverSettings settings;
  private HostsFileEntriesProvider entries;
  private long readAtNanos;
  private boolean read;

  /** The last message about each file that cannot be read. */
  private final Map<Path, String> unreadable = new HashMap<>();

  /** Reads the files of this machine. */
  HostFiles() {
    this(Path.of("/etc/resolv.conf"), Path.of("/etc/hosts"), 53, System::nanoTime);
  }

  /**
   * Reads other files.
   *
   * @param port of the name servers: the file cannot name one
   */
  HostFiles(Path resolvConf, Path hosts, int port, LongSupplier nanoTime) {
    this.resolvConf = resolvConf;
    this.hosts = hosts;
    this.port = port;
    this.nanoTime = nanoTime;
    this.settings = ResolverSettings.parse(List.of(), port);
    this.entries = parsed("");
  }

  /** Name servers and search domains, as the file has them now. */
  ResolverSettings settings() {
    refresh();
    return settings;
  }

  /** The addresses that the hosts file gives a name, IPv4 first; empty if it has none. */
  List<InetAddress> addresses(String name) {
    refresh();
    String key = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    key = key.toLowerCase(Locale.ROOT);
    List<InetAddress> all = new ArrayList<>(of(entries.ipv4Entries(), key));
    all.addAll(of(entries.ipv6Entries(), key));
    return all;
  }

  private static List<InetAddress> of(Map<String, List<InetAddress>> entries, String key) {
    List<InetAddress> found = entries.get(key);
    return found == null ? List.of() : found;
  }

  private void refresh() {
    long now = nanoTime.getAsLong();
    if (read && now - readAtNanos < FRESH_NANOS) {
      return;
    }
    readAtNanos = now;
    String resolv = text(resolvConf, resolvText);
    if (!read || !resolv.equals(resolvText) || settings.mayComplete()) {
      resolvText = resolv;
      ResolverSettings before = settings;
      settings = ResolverSettings.parse(resolv.lines().toList(), port);
      if (!read || !settings.equals(before)) {
        LOG.info(
            "Names are looked up as {} says: name servers {}, search domains {}, ndots {}",
            resolvConf,
            settings.servers(),
            settings.search(),
            settings.ndots());
        for (String each : settings.leftOut()) {
          LOG.warn(
              "{}: nameserver must be an IP address in a network of this machine, and is '{}':"
                  + " left out",
              resolvConf,
              each);
        }
      }
    }
    String lines = text(hosts, hostsText);
    if (!lines.equals(hostsText)) {
      hostsText = lines;
      entries = parsed(lines);
    }
    read = true;
  }

  private String text(Path file, String before) {
    String text = read(file);
    return text == null ? before : text;
  }

  private @Nullable String read(Path file) {
    try (var in = Files.newInputStream(file)) {
      // What is not ASCII is in comments.
      String text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1);
      unreadable.remove(file);
      return text;
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      if (!e.toString().equals(unreadable.put(file, e.toString()))) {
        LOG.warn("{} cannot be read, and counts as it was before: {}", file, e.toString());
      }
      return null;
    }
  }

  private static HostsFileEntriesProvider parsed(String lines) {
    try {
      return HostsFileEntriesProvider.parser().parse(new StringReader(lines));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
