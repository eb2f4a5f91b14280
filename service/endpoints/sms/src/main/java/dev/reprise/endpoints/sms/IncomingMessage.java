package dev.reprise.endpoints.sms;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jsmpp.SMPPConstant;
import org.jspecify.annotations.Nullable;

/**
 * A deliver_sm or a data_sm (SMPP 3.4 §4.6.1, §4.7.1): a receipt, or a message that was sent to the
 * account. Of the optional parameters, those before the first that is malformed are read.
 *
 * @param isReceipt whether it is a receipt of the SMS centre: esm_class says so, or it says nothing
 *     (many SMS centres forget it) and either both parameters of a receipt are there or the text is
 *     one from its beginning on
 * @param text the text, byte by byte
 * @param receiptedId the TLV receipted_message_id; null for none
 * @param messageState the TLV message_state; null for none
 */
record IncomingMessage(
    boolean isReceipt, String text, @Nullable String receiptedId, @Nullable Integer messageState) {
  /** The bits of esm_class that say what a message is (§5.2.12), and those of a receipt. */
  private static final int MESSAGE_TYPE = 0x3c;

  private static final int RECEIPT = 0x04;

  private static final int RECEIPTED_MESSAGE_ID = 0x001e;
  private static final int MESSAGE_PAYLOAD = 0x0424;
  private static final int MESSAGE_STATE = 0x0427;

  /** Reads a whole PDU; returns null if it ends too early. */
  static @Nullable IncomingMessage read(byte[] pdu) {
    try {
      return read(Pdu.commandId(pdu), ByteBuffer.wrap(pdu));
    } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
      return null;
    }
  }

  private static IncomingMessage read(int command, ByteBuffer pdu) {
    pdu.position(Pdu.HEADER_BYTES);
    skipText(pdu); // service_type
    skipAddress(pdu);
    skipAddress(pdu);
    int esmClass = pdu.get();
    byte[] text = {};
    if (command == SMPPConstant.CID_DATA_SM) {
      pdu.getShort(); // registered_delivery, data_coding; the text is in the payload
    } else {
      pdu.getShort(); // protocol_id, priority_flag
      skipText(pdu); // schedule_delivery_time
      skipText(pdu); // validity_period
      pdu.getInt(); // registered_delivery, replace_if_present_flag, data_coding, sm_default_msg_id
      text = new byte[pdu.get() & 0xff];
      pdu.get(text);
    }

    String receiptedId = null;
    Integer messageState = null;
    while (pdu.remaining() >= 4) {
      int tag = pdu.getShort() & 0xffff;
      int length = pdu.getShort() & 0xffff;
      if (length > pdu.remaining()) {
        break;
      }
      byte[] value = new byte[length];
      pdu.get(value);
      switch (tag) {
        case RECEIPTED_MESSAGE_ID -> receiptedId = Pdu.textAt(value, 0);
        case MESSAGE_STATE -> messageState = length == 1 ? Integer.valueOf(value[0]) : messageState;
        case MESSAGE_PAYLOAD -> text = text.length == 0 ? value : text;
        default -> {}
      }
    }
    String said = new String(text, ISO_8859_1);
    int type = esmClass & MESSAGE_TYPE;
    boolean isUnmarked =
        type == 0 && ((receiptedId != null && messageState != null) || DeliveryReceipt.isOne(said));
    return new IncomingMessage(type == RECEIPT || isUnmarked, said, receiptedId, messageState);
  }

  private static void skipAddress(ByteBuffer pdu) {
    pdu.getShort(); // ton, npi
    skipText(pdu);
  }

  private static void skipText(ByteBuffer pdu) {
    while (pdu.get() != 0) {}
  }
}
