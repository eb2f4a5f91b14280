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
import io.netty.resolver.dns.DnsServerAddresses;
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
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the machine's name servers and its hosts file, on a thread of its own: a name server that
 * hangs delays nothing but the look-ups of its names. Name servers, search domains and {@code
 * ndots} are those of {@code resolv.conf}, by the rules of glibc, and its changes are followed; a
 * name that ends with a dot is absolute. Never asks a name server that the host does not name.
 *
 * <p>A and AAAA are asked for at once. The answer lists IPv4 first; when IPv4 is known, IPv6 is
 * waited for only briefly, because some name servers never answer for AAAA.
 *
 * <p>Every look-up ends: one whose question is lost, in the resolver or by a fault of it, when no
 * question can be under way any more.
 */
final class DnsNameLookup implements NameLookup {
  private static final Logger LOG = LoggerFactory.getLogger(DnsNameLookup.class);
  private static final long QUERY_TIMEOUT_MILLIS = 5_000;
  private static final long SECOND_FAMILY_GRACE_MILLIS = 200;
  private static final long NEGATIVE_TTL_NANOS = Duration.ofSeconds(5).toNanos();

  /** So that a changed hosts file is followed. */
  private static final long HOSTS_TTL_NANOS = Duration.ofSeconds(5).toNanos();

  /** So many questions the resolver asks for one name at most, one after the other. */
  private static final int MAX_QUESTIONS = 16;

  private static final String SILENT = "the name server did not answer";
  private static final String ABSENT = "the name does not exist";
  private static final String ANSWERED = "the name server answered ";

  private static final Answer CLOSED = Answer.failed("the resolver is closed", 0);

  private final long secondFamilyGraceMillis;
  private final long nameLimitMillis;
  private final MultiThreadIoEventLoopGroup thread;
  private final DnsNameResolver resolver;

  /** Read on the resolver's thread only. */
  private final HostFiles files;

  /** Look-ups without an answer; touched on the resolver's thread only, as is what follows. */
  private final Set<Query> underWay = new HashSet<>();

  private boolean closed;

  /** Asks the name servers of this machine. */
  DnsNameLookup() {
    this(new HostFiles(), QUERY_TIMEOUT_MILLIS, SECOND_FAMILY_GRACE_MILLIS);
  }

  DnsNameLookup(HostFiles files, long queryTimeoutMillis, long secondFamilyGraceMillis) {
    this.files = files;
    this.secondFamilyGraceMillis = secondFamilyGraceMillis;
    this.nameLimitMillis = MAX_QUESTIONS * queryTimeoutMillis;
    thread =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("reprise-dns", true), NioIoHandler.newFactory());
    resolver =
        new DnsNameResolverBuilder(thread.next())
            .datagramChannelType(NioDatagramChannel.class)
            .socketChannelType(NioSocketChannel.class)
            .resolveCache(NoopDnsCache.INSTANCE)
            // Its own reading of the hosts file misses absolute names, and is never repeated.
            .hostsFileEntriesResolver((name, types) -> null)
            .nameServerProvider(
                name -> DnsServerAddresses.sequential(files.settings().servers()).stream())
            .searchDomains(List.of())
            .ndots(1)
            .queryTimeoutMillis(queryTimeoutMillis)
            .maxQueriesPerResolve(MAX_QUESTIONS)
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
    private final List<String> untried = new ArrayList<>();
    private final List<InetAddress> v4 = new ArrayList<>();
    private final List<InetAddress> v6 = new ArrayList<>();
    private int pending;
    private long ttlSeconds = Long.MAX_VALUE;

    /** The place of the name that is being asked for; answers about earlier ones come too late. */
    private int asked;

    /** Of that name by the first question; by either; of the names before it what says most. */
    private @Nullable Throwable v4Failure;

    private @Nullable Throwable failure;
    private @Nullable Throwable earlier;

    /** Ends what is asked for that name. */
    private @Nullable Future<?> limit;

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
      step(
          () -> {
            List<InetAddress> known = files.addresses(host);
            if (!known.isEmpty()) {
              end(Answer.of(known, HOSTS_TTL_NANOS));
              return;
            }
            untried.addAll(files.settings().candidates(host));
            askNext();
          });
    }

    /** Netty logs what a step throws, and the caller would wait for ever. */
    private void step(Runnable step) {
      try {
        step.run();
      } catch (RuntimeException | Error e) {
        LOG.error("The look-up of {} failed", host, e);
        end(Answer.failed("the look-up failed: " + e, NEGATIVE_TTL_NANOS));
      }
    }

    private void askNext() {
      String name = untried.remove(0);
      asked++;
      pending = 2;
      v4Failure = null;
      failure = null;
      int number = asked;
      stopLimit();
      limit =
          thread.schedule(
              () -> {
                if (number == asked) {
                  step(this::lost);
                }
              },
              nameLimitMillis,
              TimeUnit.MILLISECONDS);
      ask(name, DnsRecordType.A, v4);
      ask(name, DnsRecordType.AAAA, v6);
    }

    /** An answer is missing, though every question has ended by now. */
    private void lost() {
      Throwable silence = new TimeoutException();
      v4Failure = v4Failure == null ? silence : v4Failure;
      failure = failure == null ? silence : failure;
      answer();
    }

    private void stopLimit() {
      if (limit != null) {
        limit.cancel(false);
      }
    }

    private void ask(String name, DnsRecordType type, List<InetAddress> into) {
      int number = asked;
      resolver
          .resolveAll(new DefaultDnsQuestion(name, type))
          .addListener(
              (Future<List<DnsRecord>> future) -> {
                if (number == asked) {
                  step(() -> answered(future, type, into));
                } else if (future.isSuccess()) {
                  future.getNow().forEach(ReferenceCountUtil::release);
                }
              });
    }

    private void answered(
        Future<List<DnsRecord>> future, DnsRecordType type, List<InetAddress> into) {
      pending--;
      if (future.isSuccess()) {
        future.getNow().forEach(record -> take(record, type, into));
      } else {
        if (type.equals(DnsRecordType.A)) {
          v4Failure = future.cause();
        }
        if (failure == null || future.cause().getCause() != null) {
          failure = future.cause();
        }
      }
      // A name that does not exist has no address of the other family either.
      if (pending == 0 || (!untried.isEmpty() && isAbsent(v4Failure))) {
        answer();
      } else if (!v4.isEmpty()) {
        var unused =
            thread.schedule(
                () -> step(this::answer), secondFamilyGraceMillis, TimeUnit.MILLISECONDS);
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
      if (!all.isEmpty()) {
        end(Answer.of(all, TimeUnit.SECONDS.toNanos(ttlSeconds)));
      } else if (!untried.isEmpty() && !closed && !isSilence(v4Failure)) {
        // A search domain whose server fails says nothing about the other names, and counts. Some
        // servers never answer for AAAA: only one that is silent about A is not asked again.
        earlier = saysMore(earlier, failure);
        askNext();
      } else {
        String why = describe(saysMore(earlier, failure));
        end(
            why.equals(ABSENT)
                ? Answer.absent(why, NEGATIVE_TTL_NANOS)
                : Answer.failed(why, NEGATIVE_TTL_NANOS));
      }
    }

    /** Of two failures the one that leaves open whether the name exists. */
    private @Nullable Throwable saysMore(@Nullable Throwable first, @Nullable Throwable second) {
      return second == null || (first != null && isError(first)) ? first : second;
    }

    private boolean isError(Throwable failure) {
      return describe(failure).startsWith(ANSWERED);
    }

    private boolean isAbsent(@Nullable Throwable failure) {
      return failure != null && describe(failure).equals(ABSENT);
    }

    private boolean isSilence(@Nullable Throwable failure) {
      return describe(failure).equals(SILENT);
    }

    private void end(Answer answer) {
      if (underWay.remove(this)) {
        stopLimit();
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
        if (cause instanceof DnsNameResolverTimeoutException || cause instanceof TimeoutException) {
          return SILENT;
        }
        if (cause instanceof DnsErrorCauseException error) {
          return error.getCode().equals(DnsResponseCode.NXDOMAIN)
              ? ABSENT
              : ANSWERED + error.getCode();
        }
      }
      return "the name has no address";
    }
  }
}
