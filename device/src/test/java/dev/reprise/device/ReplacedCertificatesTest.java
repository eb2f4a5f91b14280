package dev.reprise.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.fixture.TlsServer;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.amqp.AmqpSettings;
import dev.reprise.device.transport.amqp.AmqpTransport;
import dev.reprise.device.transport.http.HttpSettings;
import dev.reprise.device.transport.http.HttpTransport;
import dev.reprise.device.transport.mqtt.MqttSettings;
import dev.reprise.device.transport.mqtt.MqttTransport;
import dev.reprise.device.transport.mqtt.MqttVersion;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestAuthority.Identity;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A running client takes over certificates and keys whose files were replaced. */
class ReplacedCertificatesTest {
  private enum Protocol {
    MQTT {
      @Override
      Transport transport(int port, TlsSettings tls) {
        return new MqttTransport(
            MqttSettings.builder("localhost")
                .port(port)
                .tls(tls)
                .version(MqttVersion.MQTT_5)
                .topic("readings")
                .build());
      }
    },
    AMQP {
      @Override
      Transport transport(int port, TlsSettings tls) {
        return new AmqpTransport(
            AmqpSettings.builder("localhost", "telemetry").port(port).tls(tls).build());
      }
    },
    HTTP {
      @Override
      Transport transport(int port, TlsSettings tls) {
        return new HttpTransport(
            HttpSettings.builder(URI.create("https://localhost:" + port + "/")).tls(tls).build());
      }
    };

    abstract Transport transport(int port, TlsSettings tls);
  }

  @TempDir Path folder;

  private TestAuthority authority;
  private Path trusted;
  private Path certificate;
  private Path key;

  @BeforeEach
  void makeFiles() throws Exception {
    authority = TestAuthority.in(folder);
    trusted = Files.copy(authority.certificatePem(), folder.resolve("trusted.pem"));
    Identity first = authority.client("device-1");
    certificate = Files.copy(first.certificatePem(), folder.resolve("device.pem"));
    key = Files.copy(first.keyPem(), folder.resolve("device.key"));
  }

  private TlsSettings settings() throws IOException {
    return TlsSettings.system().trusting(trusted).identifiedBy(certificate, key);
  }

  private static void replace(Path file, Path by) throws IOException {
    Files.copy(by, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private void becomes(String device) throws Exception {
    Identity next = authority.client(device);
    replace(certificate, next.certificatePem());
    replace(key, next.keyPem());
  }

  /** Returns whom the server takes the next connection for. */
  private static String visit(Transport transport, TlsServer server) throws Exception {
    RecordingDevice device = RecordingDevice.connect(transport, Credential.NONE);
    if (transport.name().equals("http")) {
      RecordingDevice.within(device.ready);
      var unused = device.send(Message.of("x"));
    }
    try {
      return server.next();
    } finally {
      device.connection.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theNextConnectionShowsTheNewCertificate(Protocol protocol) throws Exception {
    try (TlsServer server = TlsServer.start(authority, authority.server())) {
      Transport transport = protocol.transport(server.port(), settings());
      assertThat(visit(transport, server)).isEqualTo("CN=device-1");
      assertThat(visit(transport, server)).isEqualTo("CN=device-1");
      becomes("device-2");
      assertThat(visit(transport, server)).isEqualTo("CN=device-2");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theNextConnectionTrustsTheNewAuthority(Protocol protocol) throws Exception {
    replace(trusted, TestAuthority.strangerIn(folder).certificatePem());
    try (TlsServer server = TlsServer.start(authority, authority.server())) {
      Transport transport = protocol.transport(server.port(), settings());
      assertThat(visit(transport, server)).isEqualTo(TlsServer.REFUSED);
      replace(trusted, authority.certificatePem());
      assertThat(visit(transport, server)).isEqualTo("CN=device-1");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"key of another", "no certificate", "gone"})
  void filesThatCannotBeUsedLeaveWhatTheyHeld(String mistake) throws Exception {
    TlsSettings settings = settings();
    TlsSettings before = settings.latest();
    switch (mistake) {
      case "key of another" -> replace(certificate, authority.client("other").certificatePem());
      case "no certificate" -> Files.writeString(trusted, "half wri");
      default -> Files.delete(key);
    }
    assertThat(settings.latest()).isSameAs(before);
    becomes("device-2");
    replace(trusted, authority.certificatePem());
    assertThat(settings.latest().keys()).isNotSameAs(before.keys());
  }

  @Test
  void settingsThatDidNotChangeAreShared() throws Exception {
    TlsSettings settings = settings();
    assertThat(settings.latest()).isSameAs(settings.latest()).isNotEqualTo(settings);
    assertThat(TlsSettings.system().latest()).isSameAs(TlsSettings.system());
    assertThat(TlsSettings.system().isReadAgain()).isFalse();
  }
}
