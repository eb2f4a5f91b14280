package dev.reprise.delivery.address;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns a host into addresses that the guard lets pass. Connections go to these very addresses, so
 * a name that changes its mind between the check and the connection gains nothing (DNS rebinding).
 *
 * <p>Answers are kept for as long as the name server says, but at least 1 second and at most 5
 * minutes, failures for 5 seconds; 10,000 names at most. Attempts for a name that is being looked
 * up share one look-up. Never blocks; thread-safe.
 */
public final class VettedResolver implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VettedResolver.class);

  private static final int MAX_NAMES = 10_000;
  private static final long MIN_TTL_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long MAX_TTL_NANOS = Duration.ofMinutes(5).toNanos();

  private static final List<InetAddress> LOCALHOST =
      List.of(address(127, 0, 0, 1), address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1));

  /** The vetted addresses of a host, or the reason why it has none. */
  public sealed interface Resolution {
    /** For people. */
    String describe();
  }

  /**
   * Addresses that may be connected to; at least one. Remembers which of them answered last, so
   * that the next attempt need not find out again that another one does not.
   */
  public static final class Vetted implements Resolution {
    private final List<String> texts;
    private volatile int preferred;

    private Vetted(List<String> texts) {
      this.texts = texts;
    }

    private static Vetted of(List<InetAddress> addresses) {
      return new Vetted(addresses.stream().map(Vetted::figures).toList());
    }

    /** IPv6 in brackets: without them a request of Vert.x never ends, not even by failing. */
    private static String figures(InetAddress address) {
      String figures = NetUtil.toAddressString(address);
      return figures.indexOf(':') >= 0 ? "[" + figures + "]" : figures;
    }

    public int size() {
      return texts.size();
    }

    @Override
    public String describe() {
      return texts.toString();
    }

    /** The place of the address to try first. */
    public int preferred() {
      return preferred;
    }

    /** The address at a place, in figures; IPv6 in brackets. */
    public String address(int place) {
      return texts.get(place);
    }

    /** Says that the address at a place cannot be connected to, and gives the place to try next. */
    public int after(int place) {
      int next = (place + 1) % texts.size();
      preferred = next;
      return next;
    }
  }

  /**
   * Every address of the host is refused.
   *
   * @param detail for the subscriber: names an address only if the URL does
   */
  public record Forbidden(String detail) implements Resolution {
    @Override
    public String describe() {
      return detail;
    }
  }

  /**
   * The host has no address, or its address is not known.
   *
   * @param absent whether a name server has said so; false if it is not known
   */
  public record Unresolved(String detail, boolean absent) implements Resolution {
    @Override
    public String describe() {
      return detail;
    }
  }

  private static final class Entry {
    private final List<Consumer<Resolution>> waiting = new ArrayList<>();
    private volatile @Nullable Resolution resolution;
    private volatile long untilNanos;
  }

  private final NameLookup lookup;
  private final AddressGuard guard;
  private final LongSupplier nanoTime;
  private final ConcurrentHashMap<String, Entry> names = new ConcurrentHashMap<>();

  public VettedResolver(NameLookup lookup, AddressGuard guard, LongSupplier nanoTime) {
    this.lookup = lookup;
    this.guard = guard;
    this.nanoTime = nanoTime;
  }

  /** Asks the name servers and the hosts file of this machine. */
  public static VettedResolver ofThisMachine(AddressGuard guard) {
    return new VettedResolver(new DnsNameLookup(), guard, System::nanoTime);
  }

  /** The guard that every address must pass. */
  public AddressGuard guard() {
    return guard;
  }

  /**
   * Checks at registration whether an endpoint can be sent to.
   *
   * @param problem gets null if it can, otherwise a text that names field, value and rule; called
   *     once, on any thread
   */
  public void vet(EndpointUrl url, Consumer<@Nullable String> problem) {
    resolve(
        url,
        resolution -> {
          if (resolution instanceof Forbidden forbidden) {
            problem.accept("endpoint: " + forbidden.detail());
          } else if (resolution instanceof Unresolved unresolved) {
            problem.accept("endpoint: " + unresolved.detail());
          } else {
            problem.accept(null);
          }
        });
  }

  /** Resolves the host of a URL; calls back at once, on this thread, if the answer is known. */
  public void resolve(EndpointUrl url, Consumer<Resolution> done) {
    String name = url.lookupName();
    Resolution known = withoutLookup(url);
    if (known == null) {
      known = known(names.get(name));
    }
    if (known == null) {
      known = knownOrAsk(name, done);
    }
    if (known != null) {
      done.accept(known);
    }
  }

  /** The resolution of a host that no name server is asked about; null if one is to be asked. */
  private @Nullable Resolution withoutLookup(EndpointUrl url) {
    InetAddress literal = url.literal();
    if (literal != null) {
      String refusal = guard.refusal(literal);
      return refusal == null
          ? new Vetted(List.of(url.bracketedHost()))
          : new Forbidden("host '" + url.host() + "' must be a public address, and is " + refusal);
    }
    return EndpointUrl.isLocalhost(url.host()) ? vetted(url.host(), LOCALHOST) : null;
  }

  /**
   * Vets the host of a URL for a proxy that looks names up itself: an address in the URL as ever,
   * and a name not at all, which stands for its address then. Nothing may connect to it but through
   * that proxy.
   */
  public Resolution vetForProxy(EndpointUrl url) {
    Resolution known = withoutLookup(url);
    boolean isName = url.literal() == null;
    return known == null || (isName && known instanceof Vetted)
        ? new Vetted(List.of(url.host()))
        : known;
  }

  /**
   * Returns a resolver of the same names that vets nothing: for hosts that the operator has set up,
   * never for those of subscribers. Its answers are kept apart from the vetted ones. Not to be
   * closed.
   */
  public VettedResolver ofOperator() {
    return new VettedResolver(lookup, AddressGuard.ofOperator(), nanoTime);
  }

  /** Returns the number of names in the cache. */
  public int size() {
    return names.size();
  }

  private @Nullable Resolution known(@Nullable Entry entry) {
    if (entry == null) {
      return null;
    }
    Resolution resolution = entry.resolution;
    return resolution != null && nanoTime.getAsLong() - entry.untilNanos < 0 ? resolution : null;
  }

  private @Nullable Resolution knownOrAsk(String host, Consumer<Resolution> done) {
    Entry asked = new Entry();
    synchronized (names) {
      Entry entry = names.get(host);
      Resolution known = known(entry);
      if (known != null) {
        return known;
      }
      if (entry != null && entry.resolution == null) {
        entry.waiting.add(done);
        return null;
      }
      asked.waiting.add(done);
      makeRoom();
      names.put(host, asked);
    }
    lookup.lookUp(host, answer -> answered(host, asked, answer));
    return null;
  }

  private void answered(String host, Entry entry, NameLookup.Answer answer) {
    Resolution resolution =
        answer.failure() != null
            ? new Unresolved(
                "host '" + host + "' cannot be resolved: " + answer.failure(), answer.absent())
            : vetted(host, answer.addresses());
    long ttlNanos = Math.max(MIN_TTL_NANOS, Math.min(MAX_TTL_NANOS, answer.ttlNanos()));
    List<Consumer<Resolution>> waiting;
    synchronized (names) {
      entry.untilNanos = nanoTime.getAsLong() + ttlNanos;
      entry.resolution = resolution;
      waiting = List.copyOf(entry.waiting);
      entry.waiting.clear();
    }
    waiting.forEach(done -> done.accept(resolution));
  }

  private Resolution vetted(String host, List<InetAddress> addresses) {
    List<InetAddress> allowed = new ArrayList<>(addresses.size());
    List<String> refusals = new ArrayList<>(0);
    for (InetAddress address : addresses) {
      String refusal = guard.refusal(address);
      if (refusal == null) {
        allowed.add(address);
      } else {
        refusals.add(refusal);
      }
    }
    if (!allowed.isEmpty()) {
      return Vetted.of(allowed);
    }
    if (refusals.isEmpty()) {
      return new Unresolved(
          "host '" + host + "' cannot be resolved: the name has no address", true);
    }
    // What a name comes to inside this network is for the operator to know, not for the subscriber.
    LOG.info("Host '{}' must have a public address, and has {}", host, String.join(", ", refusals));
    return new Forbidden("host '" + host + "' must have a public address, and has none");
  }

  /** Forgets what is out of date, and failing that a quarter of the rest, whichever comes first. */
  private void makeRoom() {
    if (names.size() < MAX_NAMES) {
      return;
    }
    // What is being looked up stays, or its look-up would be made twice.
    names.values().removeIf(entry -> entry.resolution != null && known(entry) == null);
    Iterator<Entry> entries = names.values().iterator();
    while (names.size() > MAX_NAMES / 4 * 3 && entries.hasNext()) {
      if (entries.next().resolution != null) {
        entries.remove();
      }
    }
  }

  private static InetAddress address(int... bytes) {
    byte[] raw = new byte[bytes.length];
    for (int i = 0; i < raw.length; i++) {
      raw[i] = (byte) bytes[i];
    }
    try {
      return InetAddress.getByAddress("localhost", raw);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    lookup.close();
  }
}
