package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * An SMTP server that says what a test has told it to. A verb is {@code GREETING}, a command, or
 * {@code END} for the final dot. Where nothing is told it takes everything.
 */
final class ScriptedSmtpServer implements AutoCloseable {
  /** Hangs up instead of an answer. */
  static final String HANG_UP = "hang up";

  /** Never answers. */
  static final String SILENCE = "silence";

  /** Said at the end of an answer: hangs up after it. */
  static final String THEN_HANG_UP = "\0";

  private final ServerSocket listener;
  private final Thread acceptor;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final List<Rule> rules = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();

  /** The commands of all connections, as they were received. */
  final List<String> commands = new CopyOnWriteArrayList<>();

  /** The messages that were taken. */
  final LinkedBlockingQueue<String> messages = new LinkedBlockingQueue<>();

  /** What arrived, for tests that wait for it. */
  final LinkedBlockingQueue<String> arrived = new LinkedBlockingQueue<>();

  private volatile List<String> extensions = List.of("8BITMIME", "ENHANCEDSTATUSCODES");
  private volatile SSLContext tls;
  private volatile boolean implicitTls;
  private volatile boolean inPieces;

  private record Rule(String verb, AtomicInteger times, String answer) {}

  ScriptedSmtpServer() {
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    acceptor = new Thread(this::accept, "scripted-smtp");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  int port() {
    return listener.getLocalPort();
  }

  String address() {
    return "127.0.0.1:" + port();
  }

  /** How many connections there were. */
  int connections() {
    return connections.get();
  }

  /** Offers these extensions. */
  ScriptedSmtpServer offering(String... offered) {
    extensions = List.of(offered);
    return this;
  }

  ScriptedSmtpServer withTls(SSLContext context, boolean implicit) {
    tls = context;
    implicitTls = implicit;
    return this;
  }

  /** Sends every answer byte by byte. */
  ScriptedSmtpServer inPieces() {
    inPieces = true;
    return this;
  }

  /** Answers a command in this way from now on. */
  ScriptedSmtpServer answering(String verb, String answer) {
    return answering(verb, Integer.MAX_VALUE, answer);
  }

  /** Answers a command in this way so many times. */
  ScriptedSmtpServer answering(String verb, int times, String answer) {
    rules.add(new Rule(verb, new AtomicInteger(times), answer));
    return this;
  }

  /** Forgets what it was told about answers. */
  void behave() {
    rules.clear();
  }

  /** Waits for a command. */
  void awaitCommand(String verb) throws InterruptedException {
    for (String next = next(); !next.equals(verb); next = next()) {
      // Others come before it.
    }
  }

  private String next() throws InterruptedException {
    String next = arrived.poll(1, TimeUnit.MINUTES);
    if (next == null) {
      throw new AssertionError("nothing arrived in a minute");
    }
    return next;
  }

  /** Waits for a message that was taken. */
  String awaitMessage() throws InterruptedException {
    String message = messages.poll(1, TimeUnit.MINUTES);
    if (message == null) {
      throw new AssertionError("no message in a minute");
    }
    return message;
  }

  /** How often a command was received. */
  long count(String verb) {
    return commands.stream().filter(command -> verb(command).equals(verb)).count();
  }

  /** Closes the connections that there are, and takes others. */
  void dropConnections() {
    sockets.forEach(ScriptedSmtpServer::close);
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    dropConnections();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed in any case.
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        connections.incrementAndGet();
        Thread thread = new Thread(() -> serve(socket), "scripted-smtp-connection");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      new Conversation(socket).run();
    } catch (IOException | IllegalStateException e) {
      // The client, or the test, has ended it.
    }
  }

  private static String verb(String command) {
    return command.split("[ :]", 2)[0].toUpperCase(Locale.ROOT);
  }

  private final class Conversation {
    private Socket socket;
    private BufferedReader in;
    private OutputStream out;

    private Conversation(Socket socket) throws IOException {
      this.socket = socket;
      if (implicitTls) {
        secure();
      }
      open();
    }

    private void secure() throws IOException {
      SSLSocket secured = (SSLSocket) tls.getSocketFactory().createSocket(socket, null, true);
      secured.setUseClientMode(false);
      secured.startHandshake();
      socket = secured;
    }

    private void open() throws IOException {
      in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
      out = socket.getOutputStream();
    }

    private void run() throws IOException {
      answer("GREETING", "220 scripted ESMTP");
      for (String command = in.readLine(); command != null; command = in.readLine()) {
        commands.add(command);
        String verb = verb(command);
        arrived.add(verb);
        switch (verb) {
          case "EHLO" -> answer(verb, hello());
          case "STARTTLS" -> {
            answer(verb, "220 2.0.0 ready");
            secure();
            open();
          }
          case "AUTH" -> answer(verb, "235 2.7.0 logged in");
          case "DATA" -> {
            if (answer(verb, "354 go on").startsWith("354")) {
              content();
            }
          }
          case "QUIT" -> {
            answer(verb, "221 2.0.0 bye");
            return;
          }
          default -> answer(verb, "250 2.0.0 ok");
        }
      }
    }

    private String hello() {
      List<String> lines = new ArrayList<>(List.of("250-scripted"));
      extensions.forEach(extension -> lines.add("250-" + extension));
      lines.add("250 HELP");
      return String.join("\r\n", lines);
    }

    private void content() throws IOException {
      StringBuilder message = new StringBuilder();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals(".")) {
          arrived.add("END");
          String answer = planned("END", "250 2.0.0 queued as 4F2");
          if (answer.startsWith("2")) {
            // Before the answer: when the client knows that it was taken, so does the test.
            messages.add(message.toString());
          }
          say(answer);
          return;
        }
        if (message.length() == 0) {
          arrived.add("CONTENT");
          if (findRule("CONTENT") != null) {
            answer("CONTENT", "");
          }
        }
        message.append(line.startsWith(".") ? line.substring(1) : line).append("\r\n");
      }
    }

    private String answer(String verb, String standard) throws IOException {
      String answer = planned(verb, standard);
      say(answer);
      return answer;
    }

    private String planned(String verb, String standard) {
      String told = findRule(verb);
      return told == null ? standard : told;
    }

    private void say(String answer) throws IOException {
      if (answer.equals(HANG_UP)) {
        throw new IOException("told to hang up");
      }
      if (answer.equals(SILENCE)) {
        // Until the client goes.
        in.transferTo(Writer.nullWriter());
        throw new IOException("the client went");
      }
      send(answer.replace(THEN_HANG_UP, "") + "\r\n");
      if (answer.endsWith(THEN_HANG_UP)) {
        throw new IOException("told to hang up");
      }
    }

    private void send(String answer) throws IOException {
      byte[] bytes = answer.getBytes(ISO_8859_1);
      for (int i = 0; i < bytes.length; i += inPieces ? 1 : bytes.length) {
        out.write(bytes, i, inPieces ? 1 : bytes.length);
        out.flush();
      }
    }

    private String findRule(String verb) {
      for (Rule rule : rules) {
        if (rule.verb.equals(verb) && rule.times.getAndDecrement() > 0) {
          return rule.answer;
        }
      }
      return null;
    }
  }
}
