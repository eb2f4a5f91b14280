package dev.reprise.device.credential;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.core.InvalidSettingException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Writes a JSON Web Token (RFC 7519), signed as RFC 7515 and RFC 7518 section 3 say. */
final class SignedJwt {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int P256_BITS = 256;
  private static final int MIN_RSA_BITS = 2048;

  private SignedJwt() {}

  /** Throws {@link IllegalArgumentException} when the key can sign neither RS256 nor ES256. */
  static void checkKey(PrivateKey key) {
    if (key instanceof RSAPrivateKey rsa) {
      int bits = rsa.getModulus().bitLength();
      if (bits < MIN_RSA_BITS) {
        throw new InvalidSettingException(
            "key", "RSA of " + bits + " bits", "must be >= " + MIN_RSA_BITS);
      }
      return;
    }
    if (key instanceof ECPrivateKey ec) {
      int bits = ec.getParams().getCurve().getField().getFieldSize();
      if (bits != P256_BITS) {
        throw new InvalidSettingException(
            "key", "EC on a curve of " + bits + " bits", "must be on P-256");
      }
      return;
    }
    throw new InvalidSettingException("key", key.getAlgorithm(), "must be RSA or EC");
  }

  /**
   * Returns the token.
   *
   * @param claims what it says, in order: texts and whole numbers
   */
  static String sign(PrivateKey key, Map<String, Object> claims) throws GeneralSecurityException {
    boolean rsa = key instanceof RSAPrivateKey;
    Map<String, Object> header = new LinkedHashMap<>();
    header.put("alg", rsa ? "RS256" : "ES256");
    header.put("typ", "JWT");
    String toSign = base64(header) + "." + base64(claims);
    // ES256 is the two numbers one after the other (RFC 7518 section 3.4), not their ASN.1.
    Signature signature =
        Signature.getInstance(rsa ? "SHA256withRSA" : "SHA256withECDSAinP1363Format");
    signature.initSign(key);
    signature.update(toSign.getBytes(US_ASCII));
    return toSign + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign());
  }

  private static String base64(Map<String, Object> members) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(JSON.writeValueAsBytes(members));
  }
}
