package dev.reprise.device.error;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Classifier;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.handler.timeout.ReadTimeoutException;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.MalformedURLException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.security.UnrecoverableKeyException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.crypto.AEADBadTagException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLProtocolException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NetworkErrorsTest {
  /** As a library of a protocol wraps: by an exception that tells nothing. */
  private static final class LibraryException extends Exception {
    private static final long serialVersionUID = 1L;

    LibraryException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private static <T extends Throwable> T caused(T failure, Throwable cause) {
    failure.initCause(cause);
    return failure;
  }

  private static Arguments row(String code, Throwable failure) {
    return Arguments.of(code, failure);
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        row("unknown-host", new UnknownHostException("hub.example")),
        row("unknown-host", new UnresolvedAddressException()),
        // java.net.http.
        row("unknown-host", caused(new ConnectException(), new UnresolvedAddressException())),
        row("connection-refused", new ConnectException("Connection refused")),
        row("connection-refused", new ConnectException()),
        row("connection-refused", caused(new ConnectException(), new ClosedChannelException())),
        row("connect-timeout", new ConnectException("Connection timed out")),
        row("connect-timeout", new ConnectTimeoutException("connection timed out after 3000 ms")),
        row("connect-timeout", new SocketTimeoutException("Connect timed out")),
        row("connect-timeout", new SocketTimeoutException("connect timed out")),
        row("connect-timeout", new HttpConnectTimeoutException("HTTP connect timed out")),
        row("connect-timeout", new SslHandshakeTimeoutException("handshake timed out after 9ms")),
        row("no-route", new NoRouteToHostException("No route to host")),
        row("no-route", new SocketException("No route to host")),
        row("unreachable", new ConnectException("Network is unreachable")),
        row("unreachable", new SocketException("Network is unreachable: connect")),
        row("unreachable", new PortUnreachableException("ICMP Port Unreachable")),
        row("unreachable", new SocketException("Network is down")),
        row("read-timeout", new SocketTimeoutException("Read timed out")),
        row("read-timeout", new SocketTimeoutException("disconnect timed out")),
        row("connect-timeout", new SocketTimeoutException("example.com:443 connect timed out")),
        row("read-timeout", new SocketTimeoutException()),
        row("read-timeout", new HttpTimeoutException("request timed out")),
        row("read-timeout", new TimeoutException()),
        row("read-timeout", ReadTimeoutException.INSTANCE),
        row("read-timeout", new SocketException("Connection timed out (Read failed)")),
        row("connection-reset", new SocketException("Connection reset")),
        row("connection-reset", new IOException("Connection reset by peer")),
        row("connection-reset", new SocketException("Broken pipe (Write failed)")),
        row("connection-reset", new SocketException("Software caused connection abort")),
        row("connection-reset", new IOException("An established connection was aborted")),
        row("connection-closed", new EOFException()),
        row("connection-closed", new ClosedChannelException()),
        row("connection-closed", new SocketException("Socket closed")),
        row("too-many-streams", new IOException("too many concurrent streams")),
        row("connection-closed", new IOException("HTTP/1.1 header parser received no bytes")),
        row("io-error", new IOException()),
        row("io-error", new IOException("No buffer space available")),
        row("io-error", new SocketException("Too many open files")),
        row("io-error", new BindException("Address already in use")),
        row("io-error", new UncheckedIOException(new IOException("input failed"))),
        row("unreadable-answer", new java.net.ProtocolException("Invalid status line")),
        row(
            "unreadable-answer",
            new IOException(new java.net.ProtocolException("Invalid status line"))),

        // TLS: certificates.
        row("tls-certificate-not-yet-valid", new CertificateNotYetValidException("NotBefore")),
        row(
            "tls-certificate-not-yet-valid",
            caused(
                new SSLHandshakeException("PKIX path validation failed"),
                new CertificateException(
                    new CertPathValidatorException(
                        "validity check failed",
                        new CertificateNotYetValidException("NotBefore"),
                        null,
                        -1,
                        BasicReason.NOT_YET_VALID)))),
        row("tls-server-certificate", new CertificateExpiredException("NotAfter")),
        row(
            "tls-handshake-certificate",
            new SSLHandshakeException("Received fatal alert: bad_certificate")),
        row(
            "tls-handshake-certificate",
            new SSLHandshakeException("Received fatal alert: certificate_required")),
        row(
            "tls-handshake-certificate",
            new SSLException("(certificate_expired) Received fatal alert: certificate_expired")),
        row("tls-handshake-certificate", new SSLException("TLSV1_ALERT_UNKNOWN_CA")),
        row(
            "tls-server-certificate",
            new SSLPeerUnverifiedException("Hostname 10.0.0.1 not verified")),
        row(
            "tls-server-certificate",
            caused(
                new SSLHandshakeException("PKIX path building failed"),
                new CertPathBuilderException("unable to find valid certification path"))),
        row(
            "tls-server-certificate",
            caused(
                new SSLHandshakeException("No name matching localhost found"),
                new CertificateException("No name matching localhost found"))),
        row(
            "tls-server-certificate",
            new SSLHandshakeException("error:0A000086:SSL routines::CERTIFICATE_VERIFY_FAILED")),
        // As the MQTT client reports a refused client certificate of TLS 1.3: it looks like a
        // close.
        row(
            "tls-handshake-certificate",
            new LibraryException(
                "Server closed connection without DISCONNECT.",
                new DecoderException(
                    new SSLHandshakeException("Received fatal alert: bad_certificate")))),
        row(
            "tls-handshake-certificate",
            new IOException(
                new SSLHandshakeException("Received fatal alert: certificate_unknown"))),
        // Who would know whether it was revoked could not be asked.
        row(
            "io-error",
            caused(
                new SSLHandshakeException("PKIX path validation failed"),
                new CertificateException(
                    new CertPathValidatorException(
                        "Unable to determine revocation status due to network error",
                        new SocketTimeoutException("Read timed out"),
                        null,
                        -1,
                        BasicReason.UNDETERMINED_REVOCATION_STATUS)))),

        // TLS: the rest.
        row("tls-refused", new SSLHandshakeException("Received fatal alert: handshake_failure")),
        row("tls-refused", new SSLHandshakeException("Received fatal alert: unrecognized_name")),
        row("tls-refused", new SSLException("error:10000410:SSLV3_ALERT_HANDSHAKE_FAILURE")),
        row("tls-handshake", new SSLHandshakeException("Received fatal alert: protocol_version")),
        row("tls-handshake", new SSLProtocolException("unexpected message")),
        row("unreadable-answer", new SSLException("Unsupported or unrecognized SSL message")),
        row(
            "unreadable-answer",
            new DecoderException(new NotSslRecordException("not an SSL/TLS record"))),
        row("tls-handshake", new SSLException((String) null)),
        row("tls-server-error", new SSLException("Received fatal alert: internal_error")),
        row("tls-corrupted", new SSLException("Received fatal alert: bad_record_mac")),
        row("tls-corrupted", caused(new SSLException("Tag mismatch"), new AEADBadTagException())),
        row("tls-corrupted", new SSLException(new AEADBadTagException("Tag mismatch!"))),

        // The connection under TLS.
        row("connection-closed", new SSLHandshakeException("Remote host terminated the handshake")),
        row(
            "connection-closed",
            caused(
                new SSLHandshakeException("Remote host terminated the handshake"),
                new EOFException("SSL peer shut down incorrectly"))),
        row(
            "connection-closed",
            new SSLException("closing inbound before receiving peer's close_notify")),
        row(
            "connection-closed",
            new SSLHandshakeException("Connection closed while SSL/TLS handshake was in progress")),
        row("connection-reset", new SSLException("Connection reset")),
        row(
            "connection-reset",
            new SSLException("Connection reset", new SocketException("Connection reset"))),
        row(
            "read-timeout",
            new SSLException("Read timed out", new SocketTimeoutException("Read timed out"))),

        // Wrapped.
        row(
            "connection-refused",
            new ExecutionException(
                new LibraryException(null, new ConnectException("Connection refused")))),
        row(
            "connection-closed",
            new LibraryException("lost", new CompletionException(new EOFException()))),

        // What nobody knows.
        row("unknown", new IllegalStateException("connection reset")),
        row("unknown", new LibraryException("Connection refused", new RuntimeException())),
        row("unknown", new FileNotFoundException("keys.p12")),
        row("unknown", new MalformedURLException("no protocol: hub")),
        row("unknown", new IOException("password incorrect", new UnrecoverableKeyException())),

        // What core never retries.
        row("unknown", new CancellationException()),
        row("unknown", new InterruptedException()),
        row("unknown", new InterruptedIOException()),
        row("unknown", new ClosedByInterruptException()),
        row("unknown", new IOException(new NoClassDefFoundError("x"))),
        row(
            "unknown",
            new ExecutionException(caused(new ConnectException(), new AssertionError()))));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void failuresMeanWhatTheirWholeChainSays(String code, Throwable failure) {
    TransportException exception = NetworkErrors.of(failure);

    assertThat(exception.code()).isEqualTo(code);
    assertThat(exception.protocol()).isEqualTo("network");
    assertThat(exception).hasCause(failure);
    assertThat(exception.isRetryable()).isEqualTo(DeviceErrors.row("network", code).retryable());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void theApplicationSeesTheSameVerdictWhateverTheCause(String code, Throwable failure) {
    TransportException exception = NetworkErrors.of(failure);

    assertThat(Classifier.defaults().classify(exception).isRetrySafe())
        .as(code)
        .isEqualTo(exception.isRetryable() ? RetrySafety.YES : RetrySafety.NO);
  }

  @Test
  void everyRowOfTheNetworkIsReached() {
    assertThat(failures().map(arguments -> (String) arguments.get()[0]))
        .containsAll(
            DeviceErrors.rows().stream()
                .filter(row -> row.protocol().equals("network"))
                .map(ErrorRow::code)
                .toList());
  }

  @Test
  void whatIsTranslatedAlreadyStaysAsItIs() {
    TransportException translated = DeviceErrors.exception("http", "429");

    assertThat(NetworkErrors.of(translated)).isSameAs(translated);
    assertThat(NetworkErrors.of(new CompletionException(translated))).isSameAs(translated);
  }

  @Test
  void theWordsTellTheOutermostFailureAndTheInnermostCause() {
    assertThat(
            NetworkErrors.of(
                new ExecutionException(
                    new LibraryException("in the middle", new ConnectException("refused\nby it")))))
        .hasMessageStartingWith("ConnectionRefused: ExecutionException ")
        .hasMessageEndingWith(", caused by ConnectException refused by it");
    assertThat(NetworkErrors.of(new EOFException())).hasMessage("ConnectionClosed: EOFException");
  }

  @Test
  void noFailureIsUnknown() {
    TransportException exception = NetworkErrors.of(null);

    assertThat(exception.kind()).isEqualTo(ErrorKind.UNKNOWN);
    assertThat(exception.isRetryable()).isFalse();
    assertThat(exception).hasNoCause().hasMessage("TransportException (network unknown)");
  }

  @Test
  void aCycleOfCausesEnds() {
    Exception outer = new Exception("outer");
    Exception middle = new Exception("middle", outer);
    outer.initCause(middle);

    assertThat(NetworkErrors.of(outer).kind()).isEqualTo(ErrorKind.UNKNOWN);

    ConnectException inCycle = new ConnectException("refused");
    Exception back = new Exception("back", inCycle);
    inCycle.initCause(back);

    assertThat(NetworkErrors.of(back).code()).isEqualTo("connection-refused");
  }

  @Test
  void anEndlessChainOfCausesEnds() {
    class Endless extends Exception {
      private static final long serialVersionUID = 1L;

      @Override
      public synchronized Throwable getCause() {
        return new Endless();
      }
    }

    assertThat(NetworkErrors.of(new Endless()).kind()).isEqualTo(ErrorKind.UNKNOWN);
  }

  @Test
  void aDeepCauseIsFound() {
    Throwable failure = new UnknownHostException("hub.example");
    for (int i = 0; i < 20; i++) {
      failure = new LibraryException("layer " + i, failure);
    }

    assertThat(NetworkErrors.of(failure).code()).isEqualTo("unknown-host");
  }

  @Test
  void aFailureThatCannotBeAskedIsUnknown() {
    class Mute extends IOException {
      private static final long serialVersionUID = 1L;

      @Override
      public String getMessage() {
        throw new IllegalStateException("no words");
      }
    }
    class Rootless extends IOException {
      private static final long serialVersionUID = 1L;

      @Override
      public synchronized Throwable getCause() {
        throw new IllegalStateException("no cause");
      }
    }

    for (Throwable failure : new Throwable[] {new Mute(), new Rootless()}) {
      TransportException exception = NetworkErrors.of(failure);
      assertThat(exception.kind()).isEqualTo(ErrorKind.UNKNOWN);
      assertThat(exception.isRetryable()).isFalse();
      assertThat(exception.getCause()).isSameAs(failure);
    }
  }
}
