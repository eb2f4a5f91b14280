package dev.reprise.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ServiceTest {
  @TempDir Path folder;

  private ServeSettings settings(String host, int port, List<String> allow) {
    return settings(host, port, true, allow);
  }

  private ServeSettings settings(String host, int port, boolean dev, List<String> allow) {
    return ServeSettings.in(folder)
        .with(Settings.HOST, host)
        .with(Settings.PORT, port)
        .with(Settings.DEV, dev)
        .with(Settings.ALLOW, allow)
        .with(Settings.GRACE, Duration.ofSeconds(1))
        .with(Settings.DRAIN, Duration.ZERO);
  }

  @Test
  void threadsThatTheSystemRefusesAreToldFromASmallHeap() {
    assertThat(
            StartException.ofMemory(
                new OutOfMemoryError("unable to create native thread: possibly out of memory")))
        .hasMessageContaining("raise ulimit -u, pids.max");
    assertThat(StartException.ofMemory(new OutOfMemoryError("Java heap space")))
        .hasMessageContaining("(Java heap space): raise -Xmx");
  }

  @Test
  void portInUseIsSaidAndTheFolderIsFreeAgain() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThatExceptionOfType(StartException.class)
          .isThrownBy(() -> Service.start(settings("127.0.0.1", port, false, List.of())))
          .withMessageContaining("cannot listen on 127.0.0.1:" + port)
          .withMessageContaining("another process uses the port");
    }
    // Nobody was told a key, so this start has to make and tell the first.
    try (Service service = Service.start(settings("127.0.0.1", 0, false, List.of()))) {
      assertThat(service.firstKey()).isPresent();
    }
    try (Service service = Service.start(settings("127.0.0.1", 0, false, List.of()))) {
      assertThat(service.firstKey()).isEmpty();
    }
  }

  @Test
  void folderInUseIsSaid() {
    try (Service service = Service.start(settings("127.0.0.1", 0, List.of()))) {
      assertThat(service.port()).isPositive();
      assertThatExceptionOfType(StartException.class)
          .isThrownBy(() -> Service.start(settings("127.0.0.1", 0, List.of())))
          .withMessageContaining(folder.toString());
    }
  }

  @Test
  void aFolderKeepsItsShards() {
    try (Service service = Service.start(withShards(2))) {
      assertThat(service.listensEverywhere()).isFalse();
    }
    assertThatExceptionOfType(StartException.class)
        .isThrownBy(() -> Service.start(withShards(3)))
        .withMessageStartingWith("shards is 3: data folder")
        .withMessageContaining("has 2 and keeps them");
    try (Service service = Service.start(withShards(0))) {
      assertThat(service.port()).isPositive();
    }
  }

  private ServeSettings withShards(int shards) {
    return settings("127.0.0.1", 0, List.of()).with(Settings.SHARDS, shards);
  }

  @Test
  void unknownHostAndBadBlockAreSaid() {
    assertThatExceptionOfType(StartException.class)
        .isThrownBy(() -> Service.start(settings("no-such-host.invalid", 0, false, List.of())))
        .withMessage(
            "cannot listen on no-such-host.invalid:0: host is no-such-host.invalid: must be an"
                + " address of this machine or a name of one, and has no address");
    assertThatExceptionOfType(StartException.class)
        .isThrownBy(() -> Service.start(settings("127.0.0.1", 0, List.of("10.0.0.0/99"))))
        .withMessageContaining("10.0.0.0/99");
  }

  @ParameterizedTest
  // 127.1 is one of 127.0.0.1 for the C library and all that use it, and for no name server.
  @ValueSource(strings = {"127.1", "localhost", "0.0.0.0"})
  void theHostIsLookedUpAsOtherProgramsDo(String host) throws IOException {
    try (Service service = Service.start(settings(host, 0, false, List.of()));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
      assertThat(socket.isConnected()).isTrue();
    }
  }

  @Test
  void closingTwiceDoesNothing() {
    Service service = Service.start(settings("127.0.0.1", 0, List.of()));
    service.close();
    service.close();
  }
}
