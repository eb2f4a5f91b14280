package dev.reprise.delivery.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;

/** A self-signed certificate for one DNS name, made at test time by the JDK's own keytool. */
record TestCertificate(Path certificatePem, Path keyPem, KeyStore keys) {
  private static final char[] PASSWORD = "changeit".toCharArray();

  static TestCertificate forName(String dnsName, Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    return make(dnsName, folder, List.of("-ext", "SAN=dns:" + dnsName));
  }

  /** One that names the host as its subject, and nowhere else. */
  static TestCertificate byCommonNameOnly(String dnsName, Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    return make(dnsName, folder, List.of());
  }

  private static TestCertificate make(String dnsName, Path folder, List<String> extensions)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(dnsName + extensions.size() + ".p12");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + dnsName,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                "changeit",
                "-keystore",
                store.toString()));
    command.addAll(extensions);
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(keytool.getInputStream().readAllBytes(), US_ASCII);
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool failed: " + said);
    }
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
    Path certificate = folder.resolve(store.getFileName() + ".crt");
    Path key = folder.resolve(store.getFileName() + ".key");
    Files.writeString(certificate, pem("CERTIFICATE", keys.getCertificate("server").getEncoded()));
    Files.writeString(key, pem("PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded()));
    return new TestCertificate(certificate, key, keys);
  }

  /**
   * A bare listener with this certificate.
   *
   * @param protocol what it negotiates, such as {@code h2}
   */
  ServerSocket listener(InetAddress address, int backlog, String protocol)
      throws IOException, GeneralSecurityException {
    KeyManagerFactory keyManagers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keyManagers.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keyManagers.getKeyManagers(), null, null);
    SSLServerSocket listener =
        (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, backlog, address);
    SSLParameters parameters = listener.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    listener.setSSLParameters(parameters);
    return listener;
  }

  private static String pem(String what, byte[] der) {
    return "-----BEGIN "
        + what
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
        + "\n-----END "
        + what
        + "-----\n";
  }
}
