package dev.reprise.cli.demo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An SMS centre with one phone: takes every message by SMPP 3.4, and reports that it has arrived.
 */
final class DemoSmsCentre extends DemoServer {
  private static final int RESPONSE = 0x8000_0000;
  private static final int SUBMIT_SM = 0x4;
  private static final int DELIVER_SM = 0x5;
  private static final int UNBIND = 0x6;
  private static final int MAX_PDU_BYTES = 64 << 10;

  private final AtomicInteger ids = new AtomicInteger();

  @Override
  void serve(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    while (true) {
      int length = in.readInt();
      int command = in.readInt();
      in.readInt();
      int sequence = in.readInt();
      if (length < 16 || length > MAX_PDU_BYTES) {
        return;
      }
      byte[] body = in.readNBytes(length - 16);
      if (command == SUBMIT_SM) {
        submitted(body, sequence, out);
      } else if (command >= 0) {
        // A bind is answered with the name of the centre, everything else with nothing.
        boolean bind = command == 0x1 || command == 0x2 || command == 0x9;
        send(out, command | RESPONSE, sequence, bind ? text("demo") : new byte[0]);
      }
      if (command == UNBIND) {
        return;
      }
    }
  }

  private void submitted(byte[] body, int sequence, DataOutputStream out) throws IOException {
    ByteBuffer fields = ByteBuffer.wrap(body);
    readText(fields);
    fields.getShort();
    readText(fields);
    fields.getShort();
    String phone = readText(fields);
    fields.get();
    fields.getShort();
    readText(fields);
    readText(fields);
    boolean receiptWanted = (fields.get() & 1) != 0;
    fields.get();
    fields.getShort();
    byte[] message = new byte[fields.get() & 0xff];
    fields.get(message);
    took("to +" + phone + ": " + new String(message, ISO_8859_1));
    String id = "demo-" + ids.incrementAndGet();
    send(out, SUBMIT_SM | RESPONSE, sequence, text(id));
    if (receiptWanted) {
      send(out, DELIVER_SM, sequence, receipt(id, phone));
    }
  }

  private static byte[] receipt(String id, String phone) {
    byte[] report =
        ("id:"
                + id
                + " sub:001 dlvrd:001 submit date:2601311200 done date:2601311200 stat:DELIVRD"
                + " err:000 text:")
            .getBytes(ISO_8859_1);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write(0);
    body.writeBytes(new byte[] {1, 1});
    body.writeBytes(text(phone));
    body.writeBytes(new byte[] {0, 0, 0});
    // esm_class: a delivery receipt. Then protocol, priority, two times, and five settings.
    body.writeBytes(new byte[] {4, 0, 0, 0, 0, 0, 0, 0, 0});
    body.write(report.length);
    body.writeBytes(report);
    return body.toByteArray();
  }

  private static void send(DataOutputStream out, int command, int sequence, byte[] body)
      throws IOException {
    ByteBuffer pdu = ByteBuffer.allocate(16 + body.length);
    pdu.putInt(16 + body.length).putInt(command).putInt(0).putInt(sequence).put(body);
    out.write(pdu.array());
    out.flush();
  }

  private static String readText(ByteBuffer fields) {
    StringBuilder text = new StringBuilder();
    byte next;
    while ((next = fields.get()) != 0) {
      text.append((char) next);
    }
    return text.toString();
  }

  private static byte[] text(String text) {
    return (text + "\0").getBytes(ISO_8859_1);
  }
}
