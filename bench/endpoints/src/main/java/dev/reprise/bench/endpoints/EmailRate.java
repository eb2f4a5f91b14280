package dev.reprise.bench.endpoints;

import dev.reprise.bench.common.Effort;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.endpoints.email.SmtpType;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.Await;
import jakarta.mail.Address;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** Email beside Angus Mail, each with connections that it keeps, to Postfix' smtp-sink. */
final class EmailRate extends CarrierRate {
  private static final int CONNECTIONS = 4;
  private static final String MAILBOX = "ann@example.net";

  EmailRate() {
    super("email", 10_000);
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int port = Ports.free();
    List<String> command = new ArrayList<>(List.of("smtp-sink"));
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("-u", "nobody"));
    }
    command.addAll(List.of("127.0.0.1:" + port, "100"));
    Process sink = new ProcessBuilder(command).inheritIO().start();
    try (Carrier carrier =
            open(
                new SmtpType(),
                String.format(
                    Locale.ROOT,
                    """
                    {"addresses": "127.0.0.1:%d", "security": "none", "from": "orders@example.com"}
                    """,
                    awaited(port)),
                new TestContext(CONNECTIONS));
        Threads threads = new Threads(CONNECTIONS)) {
      Session session = Session.getInstance(new Properties());
      Transport[] transports = new Transport[CONNECTIONS];
      for (int i = 0; i < CONNECTIONS; i++) {
        transports[i] = session.getTransport("smtp");
        transports[i].connect("127.0.0.1", port, null, null);
      }
      return compare(
          effort,
          out,
          sending(carrier, CONNECTIONS, () -> TestAttempts.of(Protocol.EMAIL, MAILBOX, "Hello")),
          messages -> threads.share(messages, thread -> mail(session, transports[thread])),
          () -> {});
    } finally {
      sink.destroy();
      sink.waitFor();
    }
  }

  /** Waits until it listens. */
  private static int awaited(int port) {
    Await.until(
        "smtp-sink listens",
        () -> {
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
          } catch (IOException e) {
            return false;
          }
        });
    return port;
  }

  private static void mail(Session session, Transport transport) throws MessagingException {
    Address[] to = {new InternetAddress(MAILBOX)};
    MimeMessage message = new MimeMessage(session);
    message.setFrom("orders@example.com");
    message.setRecipients(Message.RecipientType.TO, to);
    message.setSubject("Message from orders", "UTF-8");
    message.setText("Hello", "UTF-8");
    message.saveChanges();
    transport.sendMessage(message, to);
  }
}
