package dev.reprise.cluster.base;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client of a node connects to what takes certificates as a broker does, again and again. */
class RenewedSslEnginesTest {
  private static final String PASSWORD = "changeit";

  @TempDir Path folder;

  /** Whose certificate the last client has shown. */
  private final AtomicReference<String> shown = new AtomicReference<>("");

  private SSLServerSocket server;

  @BeforeEach
  void listen() throws Exception {
    Path own = keys("server");
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(KeyStore.getInstance(own.toFile(), PASSWORD.toCharArray()), pass());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), new TrustManager[] {new Everybody()}, null);
    server =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    server.setNeedClientAuth(true);
    Thread thread = new Thread(() -> accept(server), "tls-server");
    thread.setDaemon(true);
    thread.start();
  }

  @AfterEach
  void close() throws Exception {
    server.close();
  }

  private static char[] pass() {
    return PASSWORD.toCharArray();
  }

  /** Takes each client's certificate, and ends the connection, so that it connects again. */
  private void accept(ServerSocket listening) {
    while (!listening.isClosed()) {
      try (SSLSocket client = (SSLSocket) listening.accept()) {
        client.startHandshake();
        // Only what comes after the handshake shows that the client has finished it.
        InputStream in = client.getInputStream();
        if (in.read() >= 0) {
          shown.set(client.getSession().getPeerPrincipal().getName());
        }
      } catch (IOException e) {
        // It went away.
      }
    }
  }

  private static final class Everybody implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /** Makes a key and its certificate, by the tool of the JDK. */
  private Path keys(String name) throws Exception {
    Path made = folder.resolve(name + ".p12");
    Process tool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-storetype",
                "PKCS12",
                "-keystore",
                made.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile())
            .start();
    assertThat(tool.waitFor()).as(name).isZero();
    return made;
  }

  private void awaitShown(String name) {
    Await.value("the certificate that is shown", shown::get, ("CN=" + name)::equals);
  }

  @Test
  void aCertificateThatWasReplacedIsShownByClientsThatRun() throws Exception {
    Path used = folder.resolve("used.p12");
    Files.copy(keys("first"), used);
    Path trusted = folder.resolve("server.p12");
    ClusterSettings settings =
        new ClusterSettings(
            "127.0.0.1:" + server.getLocalPort(),
            "reprise",
            "one",
            "",
            Map.of(
                "security.protocol",
                "SSL",
                "ssl.endpoint.identification.algorithm",
                "",
                "ssl.keystore.location",
                used.toString(),
                "ssl.keystore.password",
                PASSWORD,
                "ssl.key.password",
                PASSWORD,
                "ssl.truststore.location",
                trusted.toString(),
                "ssl.truststore.password",
                PASSWORD),
            1,
            (short) 1,
            0,
            Duration.ofSeconds(6),
            Duration.ofSeconds(1));
    Admin admin = new KafkaClients(settings).admin();
    try {
      awaitShown("first");

      // In the middle of a replacement it is of no use.
      Files.writeString(used, "half of a file");
      shown.set("");
      awaitShown("first");
      Files.move(keys("second"), used, StandardCopyOption.REPLACE_EXISTING);

      awaitShown("second");
    } finally {
      admin.close(Duration.ZERO);
    }
  }
}
