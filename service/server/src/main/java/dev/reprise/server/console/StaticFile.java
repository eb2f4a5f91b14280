package dev.reprise.server.console;

import dev.reprise.server.http.Gzip;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.zip.Deflater;

/**
 * A file for browsers, as it is and compressed.
 *
 * @param contentType its media type
 * @param plain the bytes
 * @param gzip the same, compressed
 * @param etag tells this content from every other
 * @param versioned whether its URL names its version, so that it never changes there
 */
public record StaticFile(
    String contentType, byte[] plain, byte[] gzip, String etag, boolean versioned) {
  private static final int ETAG_BYTES = 12;

  static StaticFile of(String contentType, byte[] plain, boolean versioned) {
    byte[] hash = sha256(plain);
    String etag = '"' + HexFormat.of().formatHex(hash, 0, ETAG_BYTES) + '"';
    return new StaticFile(
        contentType, plain, Gzip.compress(plain, Deflater.BEST_COMPRESSION), etag, versioned);
  }

  /** Returns how a content security policy names a script that stands in a page. */
  static String policyHash(byte[] script) {
    return "'sha256-" + Base64.getEncoder().encodeToString(sha256(script)) + "'";
  }

  /** Returns true if {@code ifNoneMatch}, the header of a request, has this content. */
  public boolean isKnown(String ifNoneMatch) {
    return ifNoneMatch.contains(etag);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
