package dev.reprise.lab.report;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * The content security policy of a page: it may use the style and the scripts that it was written
 * with, by their hashes, and load nothing at all.
 */
final class ContentPolicy {
  private ContentPolicy() {}

  static String of(String style, List<String> scripts) {
    StringBuilder policy = new StringBuilder("default-src 'none'; base-uri 'none'");
    policy.append("; form-action 'none'; style-src ").append(hash(style)).append("; script-src");
    scripts.forEach(script -> policy.append(' ').append(hash(script)));
    return policy.toString();
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
