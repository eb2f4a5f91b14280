package dev.reprise.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOError;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.InvalidClassException;
import java.io.UTFDataFormatException;
import java.io.UncheckedIOException;
import java.io.UnsupportedEncodingException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.HttpRetryException;
import java.net.MalformedURLException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.UnknownServiceException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.sql.BatchUpdateException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLKeyException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLProtocolException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the default rules make of each failure. The rows are the specification. */
class DefaultRulesTest {
  private static final RetrySafety YES = RetrySafety.YES;
  private static final RetrySafety NO = RetrySafety.NO;
  private static final RetrySafety MAYBE = RetrySafety.MAYBE;

  /** A row of the table. */
  record Row(Throwable failure, RetrySafety safety, String facts, Basis basis, String reason) {
    @Override
    public String toString() {
      return failure + " -> " + safety + " " + facts;
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"vetoes", "infos", "network", "tls", "data", "others", "sql", "wrapped"})
  void eachFailureHasItsVerdict(Row row) {
    Verdict verdict = Classifier.defaults().classify(row.failure());

    assertThat(verdict.isRetrySafe()).isEqualTo(row.safety());
    assertThat(verdict.basis()).isEqualTo(row.basis());
    assertThat(factsOf(verdict)).isEqualTo(row.facts());
    assertThat(verdict.reason()).isEqualTo(row.reason());
  }

  static Stream<Row> vetoes() {
    String error = "an Error is never retried";
    return Stream.of(
        veto(new OutOfMemoryError(), error),
        veto(new StackOverflowError(), error),
        veto(new NoClassDefFoundError("x"), error),
        veto(new AssertionError("x"), error),
        veto(new IOError(new IOException("x")), error),
        veto(new Error("x"), error),
        veto(new InterruptedException(), "interrupted"),
        veto(new InterruptedIOException(), "interrupted"),
        veto(new ClosedByInterruptException(), "interrupted"),
        veto(new FileLockInterruptionException(), "interrupted"),
        veto(new SocketException("Closed by interrupt"), "interrupted"),
        veto(new CancellationException(), "cancelled"),
        veto(new IOException("Canceled"), "cancelled"));
  }

  static Stream<Row> infos() {
    String yes = "the failure says that it is safe";
    String maybe = "the failure says that it may be";
    String no = "the failure says that it is not safe";
    String client = "the caller is at fault";
    String server = "the called side is at fault";
    Duration hint = Duration.ofSeconds(7);
    return Stream.of(
        said(new Info(YES, false, false, null), YES, "", yes),
        said(new Info(YES, false, true, null), YES, "timeout ", yes),
        said(new Info(YES, true, false, null), YES, "throttle ", yes),
        said(new Info(YES, true, true, hint), YES, "throttle timeout PT7S", yes),
        said(new Info(YES, false, false, Duration.ZERO), YES, "PT0S", yes),
        said(new Info(YES, false, false, Duration.ofNanos(-1)), YES, "", yes),
        said(new Info(MAYBE, false, false, null), MAYBE, "", maybe),
        said(new Info(MAYBE, true, false, hint), MAYBE, "throttle PT7S", maybe),
        new Row(new Info(NO, false, false, null), NO, "", Basis.VETO, no),
        new Row(new Info(NO, true, false, hint), NO, "throttle PT7S", Basis.VETO, no),
        // An explicit answer is the whole answer, whoever is at fault (Smithy guide).
        new Row(new InfoAndFault(NO, ErrorFault.SERVER), NO, "", Basis.VETO, no),
        said(new InfoAndFault(YES, ErrorFault.CLIENT), YES, "", yes),
        said(new InfoAndFault(MAYBE, ErrorFault.CLIENT), MAYBE, "", maybe),
        said(new InfoAndFault(MAYBE, ErrorFault.SERVER), MAYBE, "", maybe),
        row(new Fault(ErrorFault.SERVER), MAYBE, "", server),
        row(new Fault(ErrorFault.CLIENT), NO, "", client),
        new Row(new Fault(ErrorFault.OTHER), NO, "", Basis.UNKNOWN, "unknown failure"),
        row(new IoFault(ErrorFault.CLIENT), NO, "", client),
        new Row(new IoFault(ErrorFault.OTHER), MAYBE, "", Basis.GENERIC, "input or output failed"));
  }

  static Stream<Row> network() {
    String notConnected = "no connection, nothing was sent";
    String notResolved = "the name was not resolved, nothing was sent";
    String notTaken = "the other side did not take the request in";
    String noAnswer = "no answer in time";
    String broke = "the connection broke";
    String misuse = "the protocol was not kept, or the address is wrong";
    String notInTime = "no connection in time, nothing was sent";
    return Stream.of(
        row(new InterruptedIOException("timeout"), MAYBE, "timeout ", noAnswer),
        row(new ConnectException("Connection refused"), YES, "", notConnected),
        row(new ConnectException(), YES, "", notConnected),
        row(new ConnectException("Connection timed out"), YES, "timeout ", notConnected),
        row(new NoRouteToHostException("No route to host"), YES, "", notConnected),
        row(new BindException("Cannot assign requested address"), YES, "", notConnected),
        row(new UnknownHostException("example.invalid"), YES, "", notResolved),
        row(new UnresolvedAddressException(), YES, "", notResolved),
        row(new SocketTimeoutException("Connect timed out"), YES, "timeout ", notConnected),
        row(new SocketTimeoutException("connect timed out"), YES, "timeout ", notConnected),
        row(
            new SocketTimeoutException("Connect to http://a:1 failed: Connect timed out"),
            YES,
            "timeout ",
            notConnected),
        row(new SocketTimeoutException("disconnect timed out"), MAYBE, "timeout ", noAnswer),
        row(new SocketTimeoutException("timed out"), MAYBE, "timeout ", noAnswer),
        row(new SocketTimeoutException("Read timed out"), MAYBE, "timeout ", noAnswer),
        row(new SocketTimeoutException(), MAYBE, "timeout ", noAnswer),
        row(new SocketException("Connection reset"), MAYBE, "", broke),
        row(new SocketException("Broken pipe"), MAYBE, "", broke),
        row(new SocketException(), MAYBE, "", broke),
        row(new PortUnreachableException(), MAYBE, "", broke),
        row(new EOFException(), MAYBE, "", broke),
        row(new ClosedChannelException(), MAYBE, "", broke),
        row(new AsynchronousCloseException(), MAYBE, "", broke),
        row(new ProtocolException("x"), NO, "", misuse),
        row(new MalformedURLException("x"), NO, "", misuse),
        row(new UnknownServiceException("x"), NO, "", misuse),
        row(new HttpRetryException("x", 401), NO, "", misuse),
        row(new HttpConnectTimeoutException("x"), YES, "timeout ", notInTime),
        row(new HttpTimeoutException("x"), MAYBE, "timeout ", noAnswer),
        row(new IOException("too many concurrent streams"), YES, "", notTaken),
        row(new IOException("request not processed by peer"), YES, "", notTaken),
        anyIo(new IOException("HTTP/1.1 header parser received no bytes")),
        anyIo(new IOException("/127.0.0.1:1: GOAWAY received")),
        anyIo(new IOException()),
        anyIo(new ForeignIoException()),
        // Not the bare type: libraries tell of timeouts by subclasses of it.
        anyIo(new ForeignInterruptedIoException()));
  }

  static Stream<Row> tls() {
    String disagree = "the two sides do not agree on TLS";
    String cut = "the connection broke during the TLS handshake, nothing was sent";
    EOFException end = new EOFException("SSL peer shut down incorrectly");
    CertificateExpiredException expired = new CertificateExpiredException();
    return Stream.of(
        row(new SSLHandshakeException("Received fatal alert: handshake_failure"), NO, "", disagree),
        row(because(new SSLHandshakeException("PKIX"), expired), NO, "", disagree),
        row(
            because(new SSLHandshakeException("Remote host terminated the handshake"), end),
            YES,
            "",
            cut),
        row(new SSLHandshakeException("Remote host terminated the handshake"), YES, "", cut),
        row(
            because(new SSLHandshakeException("x"), new SocketException("Connection reset")),
            YES,
            "",
            cut),
        // As java.net.http copies them for their stack trace.
        row(
            because(
                new SSLHandshakeException("copy"),
                because(new SSLHandshakeException("original"), end)),
            YES,
            "",
            cut),
        row(
            because(
                new SSLHandshakeException("copy"),
                because(new SSLHandshakeException("original"), expired)),
            NO,
            "",
            disagree),
        row(
            new SSLException("x", new SocketException("Connection reset")),
            MAYBE,
            "",
            "the connection broke"),
        row(
            new SSLException("x", new SocketTimeoutException("Read timed out")),
            MAYBE,
            "timeout ",
            "no answer in time"),
        row(
            because(new SSLProtocolException("Remote host terminated the connection"), end),
            MAYBE,
            "",
            "the connection broke"),
        row(
            new SSLException("closing inbound before receiving peer's close_notify"),
            MAYBE,
            "",
            "the connection ended without a goodbye of TLS"),
        row(new SSLException("Unsupported or unrecognized SSL message"), NO, "", disagree),
        row(new SSLException("x", new IllegalStateException()), NO, "", disagree),
        row(new SSLPeerUnverifiedException("x"), NO, "", disagree),
        row(new SSLKeyException("x"), NO, "", disagree),
        row(expired, NO, "", "the certificate is not trusted"),
        row(new CertPathValidatorException("x"), NO, "", "the certificate is not trusted"),
        row(new CertPathBuilderException("x"), NO, "", "the certificate is not trusted"));
  }

  static Stream<Row> data() {
    String file = "the file is missing, or refuses";
    String malformed = "the data is malformed";
    return Stream.of(
        row(new FileNotFoundException("x"), NO, "", file),
        row(new NoSuchFileException("x"), NO, "", file),
        row(new AccessDeniedException("x"), NO, "", file),
        row(new FileSystemException("x"), NO, "", file),
        row(new MalformedInputException(1), NO, "", malformed),
        row(new InvalidClassException("x"), NO, "", malformed),
        row(new UTFDataFormatException("x"), NO, "", malformed),
        row(new UnsupportedEncodingException("x"), NO, "", malformed),
        row(new ZipException("x"), NO, "", malformed));
  }

  static Stream<Row> others() {
    return Stream.of(
        row(new TimeoutException(), MAYBE, "timeout ", "no result in time"),
        row(new RejectedExecutionException(), NO, "", "the executor is full or was shut down"),
        unknown(new RuntimeException("x")),
        unknown(new Exception("x")),
        unknown(new Throwable("x")),
        unknown(new NullPointerException()),
        unknown(new IllegalArgumentException("x")),
        unknown(new UnsupportedOperationException()));
  }

  static Stream<Row> sql() {
    String rolledBack = "the transaction was rolled back";
    String refused = "the database refuses the statement or the user";
    String notConnected = "no connection to the database";
    String outcome = "the database does not know whether it was done";
    String ended = "the database was stopped or ended the session";
    String resources = "the database lacks memory, disk or other resources";
    String noAnswer = "no answer of the database in time";
    return Stream.of(
        row(state("40000"), YES, "", rolledBack),
        row(state("40001"), YES, "", rolledBack),
        row(state("40P01"), YES, "", rolledBack),
        row(state("40002"), NO, "", refused),
        row(state("40003"), MAYBE, "", outcome),
        row(state("08007"), MAYBE, "", outcome),
        row(state("08001"), YES, "", notConnected),
        row(state("08004"), NO, "", refused),
        row(state("57P03"), YES, "", notConnected),
        row(state("08P01"), NO, "", refused),
        brokenSql(state("08000")),
        brokenSql(state("08003")),
        brokenSql(state("08006")),
        brokenSql(state("08S01")),
        row(state("53300"), YES, "throttle ", "the database has too many connections"),
        row(state("53100"), MAYBE, "", resources),
        row(state("53200"), MAYBE, "", resources),
        row(state("55P03"), YES, "", "a lock was not to be had"),
        row(state("57014"), NO, "", "the statement was cancelled"),
        row(state("57P01"), MAYBE, "", ended),
        row(state("57P02"), MAYBE, "", ended),
        row(state("57P05"), MAYBE, "", ended),
        row(state("57P04"), NO, "", refused),
        row(state("HYT00"), MAYBE, "timeout ", noAnswer),
        row(state("HYT01"), MAYBE, "timeout ", noAnswer),
        row(vendor("40001", 1213), YES, "", rolledBack),
        row(vendor("HY000", 1205), YES, "timeout ", "a lock was not to be had in time"),
        row(vendor("41000", 1205), YES, "timeout ", "a lock was not to be had in time"),
        unknown(vendor("HY000", 1290)),
        row(oracle("61000", 60), YES, "", rolledBack),
        row(oracle("72000", 8177), YES, "", rolledBack),
        unknown(vendor("61000", 60)),
        unknown(vendor("72000", 1)),
        row(state("0A000"), NO, "", refused),
        row(state("22001"), NO, "", refused),
        row(state("23505"), NO, "", refused),
        row(state("28P01"), NO, "", refused),
        row(state("42601"), NO, "", refused),
        row(state("25006"), YES, "", "the database is read-only, as it is after a failover"),
        unknown(state("")),
        unknown(state("4000")),
        unknown(new SQLException()),
        row(new BatchUpdateException("x", "40001", new int[0]), YES, "", rolledBack),
        row(new SQLTimeoutException(), MAYBE, "timeout ", noAnswer),
        row(new SQLTimeoutException("x", "57014"), MAYBE, "timeout ", noAnswer),
        row(new SQLTransactionRollbackException(), YES, "", rolledBack),
        row(new SQLTransactionRollbackException("x", "40003"), MAYBE, "", outcome),
        row(new SQLTransientConnectionException("x", "08001"), YES, "", notConnected),
        transientSql(new SQLTransientConnectionException()),
        transientSql(new SQLTransientException()),
        transientSql(new SQLRecoverableException()),
        brokenSql(new SQLNonTransientConnectionException()),
        row(new SQLDataException(), NO, "", refused),
        row(new SQLSyntaxErrorException(), NO, "", refused),
        row(new SQLIntegrityConstraintViolationException(), NO, "", refused),
        row(new SQLInvalidAuthorizationSpecException(), NO, "", refused),
        row(new SQLFeatureNotSupportedException(), NO, "", refused),
        // The driver's word for any lost connection, but this one was never made.
        row(
            new SQLException("x", "08S01", new ConnectException()),
            YES,
            "",
            "no connection, nothing was sent"),
        // A pool without a connection, because the password is wrong.
        row(new SQLTransientConnectionException("x", state("28P01")), NO, "", refused),
        row(
            new SQLTransientConnectionException("x", state("57P03")),
            YES,
            "",
            "no connection to the database"),
        row(new SQLException("x", new EOFException()), MAYBE, "", "the connection broke"));
  }

  static Stream<Row> wrapped() {
    SocketTimeoutException timeout = new SocketTimeoutException("Read timed out");
    String noAnswer = "no answer in time";
    return Stream.of(
        row(new CompletionException(timeout), MAYBE, "timeout ", noAnswer),
        row(new ExecutionException(timeout), MAYBE, "timeout ", noAnswer),
        row(new UncheckedIOException(timeout), MAYBE, "timeout ", noAnswer),
        row(new InvocationTargetException(timeout), MAYBE, "timeout ", noAnswer),
        row(new RuntimeException("a framework's", timeout), MAYBE, "timeout ", noAnswer),
        row(
            new CompletionException(new ExecutionException(new RuntimeException(timeout))),
            MAYBE,
            "timeout ",
            noAnswer),
        veto(new ExecutionException(new OutOfMemoryError()), "an Error is never retried"),
        veto(new RuntimeException(new InterruptedException()), "interrupted"),
        veto(new IOException(new InterruptedIOException()), "interrupted"),
        veto(new IOException(new ClosedByInterruptException()), "interrupted"),
        veto(new CompletionException(new CancellationException()), "cancelled"),
        unknown(new CompletionException(new IllegalStateException())),
        unknown(new CompletionException(null)));
  }

  @Test
  void whatTheDefaultRulesKnowCostsNoGarbage() {
    Throwable[] failures = {
      new IOException("x"),
      new ConnectException("Connection refused"),
      new SocketTimeoutException("Connect timed out"),
      new SQLException("x", "40001"),
      new Info(YES, true, false, null),
      new RuntimeException(new IOException("x")),
      new IllegalStateException(),
      new OutOfMemoryError()
    };
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    Classifier classifier = Classifier.defaults();
    classifyAll(classifier, failures, 10);

    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    int known = classifyAll(classifier, failures, 10_000);
    long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;

    assertThat(known).isEqualTo(70_000);
    // The smallest object has 16 bytes: one for each classification would be 1.28 MB.
    assertThat(allocated).isLessThan(80_000);
  }

  private static int classifyAll(Classifier classifier, Throwable[] failures, int times) {
    int known = 0;
    for (int i = 0; i < times; i++) {
      for (Throwable failure : failures) {
        known += classifier.classify(failure).isKnown() ? 1 : 0;
      }
    }
    return known;
  }

  private static String factsOf(Verdict verdict) {
    return (verdict.isThrottle() ? "throttle " : "")
        + (verdict.isTimeout() ? "timeout " : "")
        + (verdict.retryAfter() == null ? "" : verdict.retryAfter());
  }

  private static Row row(Throwable failure, RetrySafety safety, String facts, String reason) {
    return new Row(failure, safety, facts, Basis.INDICATION, reason);
  }

  private static Row said(Throwable failure, RetrySafety safety, String facts, String reason) {
    return new Row(failure, safety, facts, Basis.STATEMENT, reason);
  }

  private static Row veto(Throwable failure, String reason) {
    return new Row(failure, NO, "", Basis.VETO, reason);
  }

  private static Row unknown(Throwable failure) {
    return new Row(failure, NO, "", Basis.UNKNOWN, "unknown failure");
  }

  private static Row anyIo(Throwable failure) {
    return new Row(failure, MAYBE, "", Basis.GENERIC, "input or output failed");
  }

  private static Row brokenSql(Throwable failure) {
    return new Row(failure, MAYBE, "", Basis.GENERIC, "the connection to the database broke");
  }

  private static Row transientSql(Throwable failure) {
    return new Row(failure, MAYBE, "", Basis.GENERIC, "the driver says that it is transient");
  }

  private static SQLException state(String state) {
    return new SQLException("x", state);
  }

  private static SQLException vendor(String state, int code) {
    return new SQLException("x", state, code);
  }

  private static SQLException oracle(String state, int code) {
    return new SQLException("ORA-%05d: x".formatted(code), state, code);
  }

  private static <T extends Throwable> T because(T failure, Throwable cause) {
    failure.initCause(cause);
    return failure;
  }

  @SuppressWarnings("serial")
  private static final class Info extends RuntimeException implements RetryInfo {
    private final RetrySafety safety;
    private final boolean throttle;
    private final boolean timeout;
    private final @Nullable Duration hint;

    Info(RetrySafety safety, boolean throttle, boolean timeout, @Nullable Duration hint) {
      this.safety = safety;
      this.throttle = throttle;
      this.timeout = timeout;
      this.hint = hint;
    }

    @Override
    public RetrySafety isRetrySafe() {
      return safety;
    }

    @Override
    public boolean isThrottle() {
      return throttle;
    }

    @Override
    public boolean isTimeout() {
      return timeout;
    }

    @Override
    public @Nullable Duration retryAfter() {
      return hint;
    }
  }

  @SuppressWarnings("serial")
  private static final class InfoAndFault extends RuntimeException implements RetryInfo, ErrorInfo {
    private final RetrySafety safety;
    private final ErrorFault fault;

    InfoAndFault(RetrySafety safety, ErrorFault fault) {
      this.safety = safety;
      this.fault = fault;
    }

    @Override
    public RetrySafety isRetrySafe() {
      return safety;
    }

    @Override
    public ErrorFault fault() {
      return fault;
    }
  }

  @SuppressWarnings("serial")
  private static final class Fault extends RuntimeException implements ErrorInfo {
    private final ErrorFault fault;

    Fault(ErrorFault fault) {
      this.fault = fault;
    }

    @Override
    public ErrorFault fault() {
      return fault;
    }
  }

  @SuppressWarnings("serial")
  private static final class IoFault extends IOException implements ErrorInfo {
    private final ErrorFault fault;

    IoFault(ErrorFault fault) {
      this.fault = fault;
    }

    @Override
    public ErrorFault fault() {
      return fault;
    }
  }

  @SuppressWarnings("serial")
  private static final class ForeignIoException extends IOException {}

  @SuppressWarnings("serial")
  private static final class ForeignInterruptedIoException extends InterruptedIOException {}
}
