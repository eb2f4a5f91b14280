package dev.reprise.endpoints.sms;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;

/** The parts of a PDU that all have in common (SMPP 3.4 §3.2), read from its bytes. */
final class Pdu {
  static final int HEADER_BYTES = 16;

  private static final int RESPONSE = 0x8000_0000;

  private Pdu() {}

  static byte[] of(int commandId, int status, int sequence, byte[] body) {
    return ByteBuffer.allocate(HEADER_BYTES + body.length)
        .putInt(HEADER_BYTES + body.length)
        .putInt(commandId)
        .putInt(status)
        .putInt(sequence)
        .put(body)
        .array();
  }

  static int commandId(byte[] pdu) {
    return ByteBuffer.wrap(pdu).getInt(4);
  }

  static int status(byte[] pdu) {
    return ByteBuffer.wrap(pdu).getInt(8);
  }

  static int sequence(byte[] pdu) {
    return ByteBuffer.wrap(pdu).getInt(12);
  }

  static boolean isResponse(int commandId) {
    return (commandId & RESPONSE) != 0;
  }

  static int responseTo(int commandId) {
    return commandId | RESPONSE;
  }

  /** Returns the text from an offset up to the next null byte, or to the end. */
  static String textAt(byte[] bytes, int offset) {
    int end = offset;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return end <= offset ? "" : new String(bytes, offset, end - offset, ISO_8859_1);
  }
}
