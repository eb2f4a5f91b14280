package dev.reprise.endpoints.email;

import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.TestAuthority.Identity;
import dev.reprise.testkit.RefusingPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * A real Postfix with a real Postgrey, the system's packages, in a folder of its own. It runs as
 * root, since its programs change to users of their own.
 */
final class Postfix implements AutoCloseable {
  private static final Path POSTFIX = Path.of("/usr/sbin/postfix");
  private static final Path POSTGREY = Path.of("/usr/sbin/postgrey");
  private static final Path DAEMONS = Path.of("/usr/lib/postfix/sbin");

  private static final String MAIN =
      """
      compatibility_level = 3.6
      queue_directory = @folder@/queue
      data_directory = @folder@/data
      command_directory = /usr/sbin
      daemon_directory = @daemons@
      mail_owner = postfix
      setgid_group = postdrop
      maillog_file = @folder@/log
      maillog_file_prefixes = @folder@
      inet_interfaces = 127.0.0.1
      inet_protocols = ipv4
      myhostname = relay.example.com
      mydestination =
      local_recipient_maps =
      alias_maps =
      alias_database =
      mynetworks = 127.0.0.0/8
      relay_domains = example.net, example.com
      disable_dns_lookups = yes
      transport_maps = inline:{ { gone@example.net = smtp:[127.0.0.1]:@bounces@ },
        { example.com = smtp:[127.0.0.1]:@bounces@ }, { example.net = discard: } }
      smtpd_restriction_classes = greylist
      greylist = check_policy_service inet:127.0.0.1:@greylist@
      smtpd_recipient_restrictions = check_recipient_access inline:{
        { unknown@example.net = 550 5.1.1 no such user },
        { full@example.net = 452 4.2.2 mailbox full },
        { grey@example.net = greylist } }, permit_mynetworks, reject
      smtpd_sender_restrictions = check_sender_access inline:{
        { refused@example.com = 553 5.7.1 not your sender } }
      smtpd_error_sleep_time = 0
      smtpd_soft_error_limit = 1000000
      smtpd_hard_error_limit = 1000000
      smtpd_tls_security_level = may
      smtpd_tls_cert_file = @certificate@
      smtpd_tls_key_file = @key@
      """;

  private static final String MASTER =
      """
      127.0.0.1:@port@ inet n - n - - smtpd
      postlog unix-dgram n - n - 1 postlogd
      cleanup unix n - n - 0 cleanup
      pickup unix n - n 60 1 pickup
      qmgr unix n - n 300 1 qmgr
      rewrite unix - - n - - trivial-rewrite
      bounce unix - - n - 0 bounce
      defer unix - - n - 0 bounce
      trace unix - - n - 0 bounce
      flush unix n - n 1000? 0 flush
      proxymap unix - - n - - proxymap
      smtp unix - - n - - smtp
      error unix - - n - - error
      retry unix - - n - - error
      discard unix - - n - - discard
      anvil unix - - n - 1 anvil
      scache unix - - n - 1 scache
      tlsmgr unix - - n 1000? 1 tlsmgr
      """;

  private final RefusingPort port = RefusingPort.take();
  private final RefusingPort greylist = RefusingPort.take();
  private final Path folder;
  private final Process postgrey;
  private final Process postfix;

  private Postfix(Path folder, int bounces, Identity identity)
      throws IOException, InterruptedException {
    this.folder = folder;
    // Others than root must find their folders.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    folderOf("data", "postfix");
    folderOf("grey", "postgrey");
    Files.createDirectory(folder.resolve("queue"));
    Path configuration = Files.createDirectory(folder.resolve("configuration"));
    Files.writeString(configuration.resolve("main.cf"), filled(MAIN, bounces, identity));
    Files.writeString(configuration.resolve("master.cf"), filled(MASTER, bounces, identity));
    postgrey =
        launch(
            List.of(
                POSTGREY.toString(),
                "--inet=127.0.0.1:" + greylist.number(),
                "--dbdir=" + folder.resolve("grey"),
                "--delay=1",
                "--user=postgrey",
                "--group=postgrey"));
    postfix = launch(command("start-fg"));
    try {
      awaitListening(greylist);
      awaitListening(port);
    } catch (AssertionError e) {
      close();
      throw e;
    }
  }

  /**
   * Starts both, and returns when they listen.
   *
   * @param folder where they keep their files
   * @param bounces the port of the mail server of example.com, on this machine
   */
  static Postfix start(Path folder, int bounces, Identity identity)
      throws IOException, InterruptedException {
    Assumptions.assumeTrue(
        Files.isExecutable(POSTFIX) && Files.isExecutable(POSTGREY) && Files.isDirectory(DAEMONS),
        "postfix and postgrey are not installed (apt-get install postfix postgrey)");
    Assumptions.assumeTrue(
        System.getProperty("user.name").equals("root"), "postfix starts as root only");
    return new Postfix(folder, bounces, identity);
  }

  private String filled(String text, int bounces, Identity identity) {
    return text.replace("@folder@", folder.toString())
        .replace("@daemons@", DAEMONS.toString())
        .replace("@port@", String.valueOf(port.number()))
        .replace("@greylist@", String.valueOf(greylist.number()))
        .replace("@bounces@", String.valueOf(bounces))
        .replace("@certificate@", identity.certificatePem().toString())
        .replace("@key@", identity.keyPem().toString());
  }

  private void folderOf(String name, String user) throws IOException {
    Path path = Files.createDirectory(folder.resolve(name));
    Files.setOwner(
        path, path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user));
  }

  private List<String> command(String what) {
    return List.of(POSTFIX.toString(), "-c", folder.resolve("configuration").toString(), what);
  }

  private Process launch(List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("output").toFile()))
        .start();
  }

  private void awaitListening(RefusingPort awaited) {
    Await.until(
        "postfix listens",
        this::output,
        () -> {
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), awaited.number())) {
            return socket.isConnected();
          } catch (IOException e) {
            return false;
          }
        });
  }

  /** Returns what it has said and logged. */
  String output() throws IOException {
    Path log = folder.resolve("log");
    return Files.readString(folder.resolve("output"))
        + (Files.exists(log) ? Files.readString(log) : "");
  }

  int port() {
    return port.number();
  }

  @Override
  public void close() throws IOException {
    // Its processes write files that would prevent the deletion of the folder.
    launch(command("stop")).onExit().join();
    postfix.descendants().forEach(ProcessHandle::destroyForcibly);
    postfix.destroyForcibly().onExit().join();
    postgrey.destroyForcibly().onExit().join();
    port.close();
    greylist.close();
  }
}
