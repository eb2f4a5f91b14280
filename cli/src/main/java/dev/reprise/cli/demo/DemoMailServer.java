package dev.reprise.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.Socket;
import java.util.Locale;

/** A mail relay with one mailbox: takes every message by SMTP. */
final class DemoMailServer extends DemoServer {
  @Override
  void serve(Socket socket) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    Writer out = new OutputStreamWriter(socket.getOutputStream(), UTF_8);
    say(out, "220 demo ESMTP");
    String recipient = "";
    String line;
    while ((line = in.readLine()) != null) {
      String command = line.toUpperCase(Locale.ROOT);
      if (command.startsWith("RCPT TO:")) {
        recipient = line.substring(8).replaceAll("[<>]", "");
        say(out, "250 2.1.5 OK");
      } else if (command.equals("DATA")) {
        say(out, "354 go on");
        took("to " + recipient.strip() + ": " + readSubject(in));
        say(out, "250 2.0.0 OK: queued as DEMO1");
      } else if (command.equals("QUIT")) {
        say(out, "221 2.0.0 bye");
        return;
      } else {
        say(out, "250 demo");
      }
    }
  }

  private static String readSubject(BufferedReader in) throws IOException {
    String subject = "(no subject)";
    String line;
    while ((line = in.readLine()) != null && !line.equals(".")) {
      if (line.toLowerCase(Locale.ROOT).startsWith("subject:")) {
        subject = line.strip();
      }
    }
    return subject;
  }

  private static void say(Writer out, String line) throws IOException {
    out.write(line + "\r\n");
    out.flush();
  }
}
