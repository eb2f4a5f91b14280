package dev.reprise.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class RefusingPortTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  @Test
  void refusesConnections() {
    try (RefusingPort port = RefusingPort.take()) {
      assertThatThrownBy(() -> new Socket(LOOPBACK, port.number()).close())
          .isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void isNobodyElses() throws Exception {
    try (RefusingPort port = RefusingPort.take();
        ServerSocket server = new ServerSocket()) {
      server.setReuseAddress(false);
      assertThatThrownBy(() -> server.bind(new InetSocketAddress(LOOPBACK, port.number())))
          .isInstanceOf(BindException.class);
    }
  }

  @Test
  void aServerThatReusesAddressesListensOnItAllTheSame() throws Exception {
    try (RefusingPort port = RefusingPort.take();
        ServerSocket server = new ServerSocket()) {
      server.setReuseAddress(true);
      server.bind(new InetSocketAddress(LOOPBACK, port.number()));
      try (Socket client = new Socket(LOOPBACK, port.number())) {
        assertThat(client.isConnected()).isTrue();
      }
    }
  }
}
