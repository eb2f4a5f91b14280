package dev.reprise.common.pem;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * Unencrypted private keys in the forms that PEM has for them: {@code PRIVATE KEY} is PKCS #8 (RFC
 * 5208), which is all that the JDK reads; {@code RSA PRIVATE KEY} is PKCS #1 (RFC 8017, appendix
 * A.1.2) and {@code EC PRIVATE KEY} is SEC 1 (RFC 5915), which are what openssl and cert-manager
 * write by default.
 */
final class PrivateKeyDer {
  private static final String PKCS8 = "PRIVATE KEY";
  private static final String PKCS1 = "RSA PRIVATE KEY";
  private static final String SEC1 = "EC PRIVATE KEY";

  private static final int INTEGER = 0x02;
  private static final int OCTET_STRING = 0x04;
  private static final int OBJECT_IDENTIFIER = 0x06;
  private static final int SEQUENCE = 0x30;

  /** The parameters of an EC key: its curve. */
  private static final int PARAMETERS = 0xa0;

  private static final byte[] VERSION_0 = {INTEGER, 1, 0};

  /** The algorithm rsaEncryption, with the parameters NULL. */
  private static final byte[] RSA = HexFormat.of().parseHex("300d06092a864886f70d0101010500");

  /** The identifier of the algorithm id-ecPublicKey. */
  private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");

  private PrivateKeyDer() {}

  /** Whether a block of PEM with this label is an unencrypted private key. */
  static boolean isKey(String label) {
    return label.equals(PKCS8) || label.equals(PKCS1) || label.equals(SEC1);
  }

  /**
   * Returns a key as PKCS #8. The numbers of the key are not looked at.
   *
   * @param label that of its PEM, for which {@link #isKey} holds
   * @param der the content of its PEM
   * @throws IllegalArgumentException if an EC key is not of that form, or does not name its curve
   */
  static byte[] pkcs8(String label, byte[] der) {
    return switch (label) {
      case PKCS8 -> der;
      case PKCS1 -> sequence(VERSION_0, RSA, value(OCTET_STRING, der));
      case SEC1 -> sequence(VERSION_0, sequence(EC, curve(der)), value(OCTET_STRING, der));
      default ->
          throw new IllegalArgumentException(
              "label is " + label + ": must be one of a private key");
    };
  }

  /** Returns the identifier of the curve of a SEC 1 key, encoded. */
  private static byte[] curve(byte[] der) {
    ByteBuffer key = content(SEQUENCE, ByteBuffer.wrap(der));
    ByteBuffer unusedVersion = content(INTEGER, key);
    ByteBuffer unusedNumber = content(OCTET_STRING, key);
    if (!key.hasRemaining() || (key.get(key.position()) & 0xff) != PARAMETERS) {
      throw new IllegalArgumentException("must name its curve");
    }
    ByteBuffer parameters = content(PARAMETERS, key);
    byte[] encoded = new byte[parameters.remaining()];
    parameters.duplicate().get(encoded);
    ByteBuffer unusedCurve = content(OBJECT_IDENTIFIER, parameters);
    return encoded;
  }

  /** Reads a value, and returns its content. */
  private static ByteBuffer content(int tag, ByteBuffer from) {
    try {
      int found = from.get() & 0xff;
      int length = from.get() & 0xff;
      int more = length - 0x80;
      if (more >= 0) {
        length = 0;
        for (int i = 0; i < more; i++) {
          length = Math.addExact(Math.multiplyExact(length, 256), from.get() & 0xff);
        }
      }
      if (found == tag && length <= from.remaining()) {
        ByteBuffer content = from.slice(from.position(), length);
        from.position(from.position() + length);
        return content;
      }
    } catch (BufferUnderflowException | ArithmeticException e) {
      // As with another tag: it is something else.
    }
    throw new IllegalArgumentException("must be an EC private key of SEC 1");
  }

  private static byte[] sequence(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return value(SEQUENCE, all.toByteArray());
  }

  private static byte[] value(int tag, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 6);
    out.write(tag);
    if (content.length < 0x80) {
      out.write(content.length);
    } else {
      int bytes = 4 - Integer.numberOfLeadingZeros(content.length) / 8;
      out.write(0x80 | bytes);
      for (int i = bytes - 1; i >= 0; i--) {
        out.write(content.length >>> (8 * i));
      }
    }
    out.writeBytes(content);
    return out.toByteArray();
  }
}
