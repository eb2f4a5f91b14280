package dev.reprise.delivery.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A self-signed certificate for one DNS name, made at test time by the JDK's own keytool. */
record TestCertificate(Path certificatePem, Path keyPem) {

  static TestCertificate forName(String dnsName, Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(dnsName + ".p12");
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
                "CN=" + dnsName,
                "-ext",
                "SAN=dns:" + dnsName,
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
    Path certificate = folder.resolve(dnsName + ".crt");
    Path key = folder.resolve(dnsName + ".key");
    Files.writeString(certificate, pem("CERTIFICATE", keys.getCertificate("server").getEncoded()));
    Files.writeString(
        key, pem("PRIVATE KEY", keys.getKey("server", "changeit".toCharArray()).getEncoded()));
    return new TestCertificate(certificate, key);
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
