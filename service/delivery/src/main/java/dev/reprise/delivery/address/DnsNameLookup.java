package dev.reprise.delivery.address;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverTimeoutException;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.DnsServerAddressStreamProviders;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the machine's name servers and its hosts file, on a thread of its own: a name server that
 * hangs delays nothing but the look-ups of its names. Names are absolute: search domains are not
 * appended, so that a name means the same on every machine.
 *
 * <p>A and AAAA are asked for at once. The answer lists IPv4 first; when IPv4 is known, IPv6 is
 * waited for only briefly, because some name servers never answer for AAAA.
 */
final class DnsNameLookup implements NameLookup {
  private static final Logger LOG = LoggerFactory.getLogger(DnsNameLookup.class);
  private static final long QUERY_TIMEOUT_MILLIS = 5_000;
  private static final long SECOND_FAMILY_GRACE_MILLIS = 200;
  private static final long NEGATIVE_TTL_NANOS = Duration.ofSeconds(5).toNanos();

  private static final Answer CLOSED = Answer.failed("the resolver is closed", 0);

  private final long secondFamilyGraceMillis;
  private final MultiThreadIoEventLoopGroup thread;
  private final DnsNameResolver resolver;

  /** Look-ups without an answer; touched on the resolver's thread only, as is what follows. */
  private final Set<Query> underWay = new HashSet<>();

  private boolean closed;

  /** Asks the name servers of this machine. */
  DnsNameLookup() {
    this(
        DnsServerAddressStreamProviders.platformDefault(),
        QUERY_TIMEOUT_MILLIS,
        SECOND_FAMILY_GRACE_MILLIS);
  }

  DnsNameLookup(
      DnsServerAddressStreamProvider nameServers,
      long queryTimeoutMillis,
      long secondFamilyGraceMillis) {
    this.secondFamilyGraceMillis = secondFamilyGraceMillis;
    thread =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("reprise-dns", true), NioIoHandler.newFactory());
    resolver =
        new DnsNameResolverBuilder(thread.next())
            .datagramChannelType(NioDatagramChannel.class)
            .socketChannelType(NioSocketChannel.class)
            .resolveCache(NoopDnsCache.INSTANCE)
            .nameServerProvider(nameServers)
            .queryTimeoutMillis(queryTimeoutMillis)
            .build();
  }

  @Override
  public void lookUp(String host, Consumer<Answer> done) {
    try {
      thread.execute(() -> new Query(host, done).start());
    } catch (RejectedExecutionException e) {
      done.accept(CLOSED);
    }
  }

  @Override
  public void close() {
    try {
      thread.execute(this::giveUp);
    } catch (RejectedExecutionException e) {
      // Closed before.
    }
  }

  /** The thread ends without notifying the callers that still wait, so this method does. */
  private void giveUp() {
    closed = true;
    try {
      List.copyOf(underWay).forEach(query -> query.end(CLOSED));
    } finally {
      resolver.close();
      // Not before: a thread that is to end closes its sockets first, and fails what waits for
      // them.
      var unused = thread.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  /** One look-up; lives on the resolver's thread only. */
  private final class Query {
    private final String host;
    private final Consumer<Answer> done;
    private final List<InetAddress> v4 = new ArrayList<>();
    private final List<InetAddress> v6 = new ArrayList<>();
    private int pending = 2;
    private long ttlSeconds = Long.MAX_VALUE;
    private @Nullable Throwable failure;

    Query(String host, Consumer<Answer> done) {
      this.host = host;
      this.done = done;
    }

    void start() {
      if (closed) {
        done.accept(CLOSED);
        return;
      }
      underWay.add(this);
      ask(DnsRecordType.A, v4);
      ask(DnsRecordType.AAAA, v6);
    }

    private void ask(DnsRecordType type, List<InetAddress> into) {
      resolver
          .resolveAll(new DefaultDnsQuestion(host + ".", type))
          .addListener((Future<List<DnsRecord>> future) -> answered(future, type, into));
    }

    private void answered(
        Future<List<DnsRecord>> future, DnsRecordType type, List<InetAddress> into) {
      pending--;
      if (future.isSuccess()) {
        future.getNow().forEach(record -> take(record, type, into));
      } else if (failure == null || future.cause().getCause() != null) {
        failure = future.cause();
      }
      if (pending == 0) {
        answer();
      } else if (!v4.isEmpty()) {
        var unused = thread.schedule(this::answer, secondFamilyGraceMillis, TimeUnit.MILLISECONDS);
      }
    }

    private void take(DnsRecord answer, DnsRecordType type, List<InetAddress> into) {
      try {
        if (answer instanceof DnsRawRecord raw && answer.type().equals(type)) {
          byte[] bytes = new byte[raw.content().readableBytes()];
          raw.content().getBytes(raw.content().readerIndex(), bytes);
          into.add(InetAddress.getByAddress(host, bytes));
          ttlSeconds = Math.min(ttlSeconds, answer.timeToLive());
        }
      } catch (UnknownHostException e) {
        // A record of the wrong length is no address.
        failure = e;
      } finally {
        ReferenceCountUtil.release(answer);
      }
    }

    private void answer() {
      List<InetAddress> all = new ArrayList<>(v4);
      all.addAll(v6);
      end(
          all.isEmpty()
              ? Answer.failed(describe(failure), NEGATIVE_TTL_NANOS)
              : Answer.of(all, TimeUnit.SECONDS.toNanos(ttlSeconds)));
    }

    private void end(Answer answer) {
      if (underWay.remove(this)) {
        try {
          done.accept(answer);
        } catch (RuntimeException e) {
          // What one makes of its answer is nothing to the others that wait.
          LOG.error("The caller of the look-up of {} failed", host, e);
        }
      }
    }

    private String describe(@Nullable Throwable failure) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        if (cause instanceof DnsNameResolverTimeoutException) {
          return "the name server did not answer";
        }
        if (cause instanceof DnsErrorCauseException error) {
          return error.getCode().equals(DnsResponseCode.NXDOMAIN)
              ? "the name does not exist"
              : "the name server answered " + error.getCode();
        }
      }
      return "the name has no address";
    }
  }
}
