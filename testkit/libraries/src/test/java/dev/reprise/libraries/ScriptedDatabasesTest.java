package dev.reprise.libraries;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers that refuse the log-in or a statement, in the words of their protocol. */
class ScriptedDatabasesTest {
  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;

  static Stream<Cell> postgres() {
    return Stream.of(
        postgres("wrong password", "NO", "28P01", true),
        postgres("no such database", "NO", "3D000", true),
        postgres("too many connections", "YES throttle", "53300", true),
        postgres("starting up", "YES", "57P03", true),
        postgres("lock time-out", "YES", "55P03", false),
        postgres("deadlock", "YES", "40P01", false),
        postgres("conflict", "YES", "40001", false),
        postgres("connection killed", "MAYBE", "57P01", false),
        postgres("statement time-out", "NO", "57014", false),
        postgres("standby", "YES", "25006", false),
        postgres("constraint", "NO", "23505", false));
  }

  static Stream<Cell> mySql() {
    return Stream.of("MySQL", "MariaDB")
        .flatMap(
            library ->
                Stream.of(
                    mySql(library, "too many connections", "YES throttle", 1040, "08004", true),
                    mySql(library, "host blocked", "NO", 1129, "HY000", true),
                    mySql(library, "wrong password", "NO", 1045, "28000", false),
                    mySql(library, "quota of the user", "YES throttle", 1203, "42000", false),
                    mySql(library, "lock time-out", "YES", 1205, "HY000", false),
                    mySql(library, "no wait", "YES", 3572, "HY000", false),
                    mySql(library, "deadlock", "YES", 1213, "40001", false),
                    mySql(library, "shutting down", "MAYBE", 1053, "08S01", false),
                    mySql(library, "connection killed", "MAYBE", 1927, "70100", false),
                    mySql(library, "idle for too long", "MAYBE", 4031, "HY000", false),
                    mySql(library, "former primary", "YES", 1290, "HY000", false),
                    mySql(library, "read-only", "YES", 1836, "HY000", false),
                    mySql(library, "constraint", "NO", 1062, "23000", false)));
  }

  @ParameterizedTest
  @MethodSource({"postgres", "mySql"})
  void eachFailureHasItsVerdict(Cell cell) {
    cell.check();
  }

  private static Cell postgres(String failure, String verdict, String state, boolean atLogIn) {
    return new Cell(
        "PostgreSQL",
        failure,
        verdict,
        () -> {
          try (Peer peer = Peer.of(connection -> servePostgres(connection, state, atLogIn))) {
            execute(
                "jdbc:postgresql://"
                    + peer.address()
                    + "/x?user=u&password=p&sslmode=disable&gssEncMode=disable");
          }
        });
  }

  private static Cell mySql(
      String library, String failure, String verdict, int code, String state, boolean atOnce) {
    return new Cell(
        library,
        failure,
        verdict,
        () -> {
          try (Peer peer = Peer.of(connection -> serveMySql(connection, code, state, atOnce))) {
            execute(
                "jdbc:"
                    + (library.equals("MySQL") ? "mysql" : "mariadb")
                    + "://"
                    + peer.address()
                    + "/x?user=u&password=p&sslMode=DISABLED"
                        .replace("DISABLED", library.equals("MySQL") ? "DISABLED" : "disable"));
          }
        });
  }

  private static void execute(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE t SET n = 1");
    }
  }

  private static void servePostgres(Socket connection, String state, boolean atLogIn)
      throws IOException {
    DataInputStream in = new DataInputStream(connection.getInputStream());
    DataOutputStream out = new DataOutputStream(connection.getOutputStream());
    int request = startup(in);
    while (request == SSL_REQUEST || request == GSS_REQUEST) {
      out.write('N');
      request = startup(in);
    }
    if (atLogIn) {
      message(out, 'E', error(state));
      return;
    }
    message(out, 'R', new byte[4]);
    message(out, 'S', "server_version\0" + "17.0\0");
    message(out, 'S', "client_encoding\0UTF8\0");
    message(out, 'S', "standard_conforming_strings\0on\0");
    message(out, 'S', "DateStyle\0ISO, MDY\0");
    message(out, 'Z', "I");
    while (true) {
      int type = in.read();
      if (type < 0 || type == 'X') {
        return;
      }
      in.readFully(new byte[in.readInt() - 4]);
      if (type == 'S' || type == 'Q') {
        message(out, 'E', error(state));
        message(out, 'Z', "I");
      }
    }
  }

  private static int startup(DataInputStream in) throws IOException {
    int length = in.readInt();
    int request = in.readInt();
    in.readFully(new byte[length - 8]);
    return request;
  }

  private static String error(String state) {
    return "SFATAL\0VFATAL\0C" + state + "\0Mscripted\0\0";
  }

  private static void message(DataOutputStream out, char type, String body) throws IOException {
    message(out, type, body.getBytes(US_ASCII));
  }

  private static void message(DataOutputStream out, char type, byte[] body) throws IOException {
    out.write(type);
    out.writeInt(body.length + 4);
    out.write(body);
    out.flush();
  }

  /** Logs the client in unless the error comes at once, and answers all statements with it. */
  private static void serveMySql(Socket connection, int code, String state, boolean atOnce)
      throws IOException {
    DataInputStream in = new DataInputStream(connection.getInputStream());
    DataOutputStream out = new DataOutputStream(connection.getOutputStream());
    if (atOnce) {
      // Without a state, since it is not known yet what the client understands.
      packet(out, 0, error(code, ""));
      Peer.readToTheEnd(connection);
      return;
    }
    packet(out, 0, greeting());
    int sequence = skip(in);
    packet(out, sequence + 1, new byte[] {0, 0, 0, 2, 0, 0, 0});
    while (true) {
      sequence = skip(in);
      packet(out, sequence + 1, error(code, "#" + state));
    }
  }

  private static byte[] greeting() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(10);
    bytes.writeBytes("8.4.0\0".getBytes(US_ASCII));
    bytes.writeBytes(new byte[] {1, 0, 0, 0});
    bytes.writeBytes("abcdefgh\0".getBytes(US_ASCII));
    // PROTOCOL_41, CONNECT_WITH_DB, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH; utf8mb4.
    bytes.writeBytes(new byte[] {(byte) 0x08, (byte) 0xa2, 45, 2, 0, 0x08, 0x00, 21});
    bytes.writeBytes(new byte[10]);
    bytes.writeBytes("ijklmnopqrst\0".getBytes(US_ASCII));
    bytes.writeBytes("mysql_native_password\0".getBytes(US_ASCII));
    return bytes.toByteArray();
  }

  private static byte[] error(int code, String state) {
    String option = code == 1290 ? "running with the --read-only option" : "scripted";
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(0xff);
    bytes.write(code & 0xff);
    bytes.write(code >> 8);
    bytes.writeBytes((state + option).getBytes(US_ASCII));
    return bytes.toByteArray();
  }

  private static void packet(DataOutputStream out, int sequence, byte[] body) throws IOException {
    out.write(body.length & 0xff);
    out.write(body.length >> 8);
    out.write(0);
    out.write(sequence);
    out.write(body);
    out.flush();
  }

  /** Reads a packet and returns its number. */
  private static int skip(DataInputStream in) throws IOException {
    int length = in.readUnsignedByte() | in.readUnsignedByte() << 8 | in.readUnsignedByte() << 16;
    int sequence = in.readUnsignedByte();
    in.readFully(new byte[length]);
    return sequence;
  }
}
