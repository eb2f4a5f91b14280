package dev.reprise.endpoints.aws;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Computes Signature Version 4 of a request as its receiver does, written from AWS' "Create a
 * signed AWS API request" alone.
 */
final class SignatureV4 {
  private static final Pattern AUTHORIZATION =
      Pattern.compile(
          "AWS4-HMAC-SHA256 Credential=([^/]+)/([0-9]{8}/([^/]+)/([^/]+)/aws4_request),"
              + " ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})");

  private SignatureV4() {}

  /** A request as it came. Names of headers are in lower case. */
  record Received(String method, String rawPath, Map<String, String> headers, byte[] body) {
    String authorization() {
      return headers.getOrDefault("authorization", "");
    }
  }

  /**
   * Returns what is wrong with a request's signature; null if it is right.
   *
   * @param scope region and service, divided by a slash
   */
  static String problem(Received request, String keyId, String secret, String scope) {
    Matcher parts = AUTHORIZATION.matcher(request.authorization());
    if (!parts.matches()) {
      return "not an authorization: " + request.authorization();
    }
    List<String> signed = Arrays.asList(parts.group(5).split(";", -1));
    List<String> mustBeSigned = new ArrayList<>(List.of("host", "content-type"));
    request.headers().keySet().stream()
        .filter(name -> name.startsWith("x-amz-"))
        .forEach(mustBeSigned::add);
    if (!signed.containsAll(mustBeSigned)) {
      return "signed " + signed + " of " + mustBeSigned;
    }
    if (!parts.group(1).equals(keyId)
        || !(parts.group(3) + "/" + parts.group(4)).equals(scope)
        || !signed.equals(signed.stream().sorted().toList())) {
      return "wrong scope or order: " + request.authorization();
    }
    String expected = signature(request, signed, parts.group(2), secret);
    return parts.group(6).equals(expected) ? null : "expected " + expected;
  }

  private static String signature(
      Received request, List<String> signed, String scope, String secret) {
    StringBuilder canonical = new StringBuilder(request.method()).append('\n');
    String[] segments = request.rawPath().split("/", -1);
    for (int i = 0; i < segments.length; i++) {
      // Every service but S3 encodes the path a second time.
      canonical
          .append(i == 0 ? "" : "/")
          .append(URLEncoder.encode(segments[i], UTF_8).replace("+", "%20").replace("*", "%2A"));
    }
    canonical.append("\n\n");
    for (String name : signed) {
      String value = request.headers().get(name).strip().replaceAll(" +", " ");
      canonical.append(name).append(':').append(value).append('\n');
    }
    canonical.append('\n').append(String.join(";", signed)).append('\n');
    canonical.append(hex(sha256(request.body())));
    String date = request.headers().get("x-amz-date");
    String toSign =
        "AWS4-HMAC-SHA256\n"
            + date
            + "\n"
            + scope
            + "\n"
            + hex(sha256(canonical.toString().getBytes(UTF_8)));
    byte[] key = ("AWS4" + secret).getBytes(UTF_8);
    for (String part : scope.split("/", -1)) {
      key = hmac(key, part);
    }
    return hex(hmac(key, toSign));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
