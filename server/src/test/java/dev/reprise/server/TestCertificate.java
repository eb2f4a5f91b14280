package dev.reprise.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;

/** A self-signed certificate for this machine, made at test time by the JDK's own keytool. */
public record TestCertificate(X509Certificate certificate, String certificatePem, String keyPem) {

  /** A new one; {@code name} tells it from others. */
  public static TestCertificate named(String name, Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                "changeit",
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), US_ASCII);
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool failed: " + said);
    }
    KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
    X509Certificate certificate = (X509Certificate) keys.getCertificate("server");
    byte[] key = keys.getKey("server", "changeit".toCharArray()).getEncoded();
    return new TestCertificate(
        certificate, pem("CERTIFICATE", certificate.getEncoded()), pem("PRIVATE KEY", key));
  }

  /** Writes both files, the certificate first. */
  public void writeTo(Path certificateFile, Path keyFile) throws IOException {
    Files.writeString(certificateFile, certificatePem);
    Files.writeString(keyFile, keyPem);
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
