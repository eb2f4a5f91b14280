package dev.reprise.core.classify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NetworkFailureTest {
  static Stream<Arguments> kinds() {
    return Stream.of(
        Arguments.of(new UnknownHostException("nowhere"), NetworkFailure.UNKNOWN_HOST),
        Arguments.of(new UnresolvedAddressException(), NetworkFailure.UNKNOWN_HOST),
        Arguments.of(new ConnectException("Connection timed out"), NetworkFailure.CONNECT_TIMEOUT),
        Arguments.of(new HttpConnectTimeoutException("late"), NetworkFailure.CONNECT_TIMEOUT),
        Arguments.of(
            new SocketTimeoutException("Connect timed out"), NetworkFailure.CONNECT_TIMEOUT),
        Arguments.of(
            new SocketTimeoutException("connect timed out"), NetworkFailure.CONNECT_TIMEOUT),
        Arguments.of(
            new SocketTimeoutException("Connect to host:80 failed: connect timed out"),
            NetworkFailure.CONNECT_TIMEOUT),
        Arguments.of(new SocketTimeoutException("disconnect timed out"), NetworkFailure.NO_ANSWER),
        Arguments.of(new SocketTimeoutException("Read timed out"), NetworkFailure.NO_ANSWER),
        Arguments.of(new SocketTimeoutException(), NetworkFailure.NO_ANSWER),
        Arguments.of(new HttpTimeoutException("request timed out"), NetworkFailure.NO_ANSWER),
        Arguments.of(new InterruptedIOException("timeout"), NetworkFailure.NO_ANSWER),
        Arguments.of(new NoRouteToHostException("No route to host"), NetworkFailure.NO_ROUTE),
        Arguments.of(new ConnectException("Connection refused"), NetworkFailure.NOT_CONNECTED),
        Arguments.of(new BindException("Address in use"), NetworkFailure.NO_LOCAL_PORT),
        Arguments.of(new IOException("too many concurrent streams"), NetworkFailure.NOT_PROCESSED),
        Arguments.of(new SocketException("Connection reset"), NetworkFailure.BROKEN),
        Arguments.of(new EOFException(), NetworkFailure.BROKEN),
        Arguments.of(new ClosedChannelException(), NetworkFailure.BROKEN),
        Arguments.of(new ProtocolException("Invalid status line"), NetworkFailure.MISUSE),
        Arguments.of(new IOException("disk full"), NetworkFailure.OTHER),
        Arguments.of(new TimeoutException(), NetworkFailure.OTHER),
        Arguments.of(new IllegalStateException("connect timed out"), NetworkFailure.OTHER));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void readsOneExceptionAlone(Throwable failure, NetworkFailure kind) {
    assertThat(NetworkFailure.of(failure)).isEqualTo(kind);
    assertThat(NetworkFailure.of(new IOException(failure))).isEqualTo(NetworkFailure.OTHER);
  }
}
