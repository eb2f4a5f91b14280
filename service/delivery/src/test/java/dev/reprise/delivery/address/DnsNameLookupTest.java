package dev.reprise.delivery.address;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Look-ups against dnsmasq, and against sockets that never answer, or not all. */
@Timeout(300)
class DnsNameLookupTest {
  private static final long PATIENT_MILLIS = 60_000;
  private static final int A = 1;
  private static final int AAAA = 28;

  @Test
  void aNameServerIsUnderstood() throws Exception {
    try (Dnsmasq server =
        Dnsmasq.start(
            "127.0.0.1",
            "--host-record=both.example,93.184.216.34,2606:4700::1111,77",
            "--host-record=six.example,2606:4700::2222",
            "--cname=alias.example,both.example")) {
      assertUnderstood(server.port());
    }
  }

  private static void assertUnderstood(int port) throws Exception {
    try (DnsNameLookup lookup = lookup(port, 20_000)) {
      NameLookup.Answer both = ask(lookup, "both.example");
      assertThat(texts(both)).containsExactly("93.184.216.34", "2606:4700::1111");
      assertThat(both.ttlNanos()).isEqualTo(SECONDS.toNanos(77));
      assertThat(texts(ask(lookup, "six.example"))).containsExactly("2606:4700::2222");
      assertThat(texts(ask(lookup, "alias.example")))
          .containsExactly("93.184.216.34", "2606:4700::1111");
      NameLookup.Answer none = ask(lookup, "none.example");
      assertThat(none.addresses()).isEmpty();
      assertThat(none.failure()).isEqualTo("the name does not exist");
      assertThat(none.absent()).isTrue();
    }
  }

  @Test
  void aNameServerThatNeverAnswersIsGivenUp() throws Exception {
    try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        DnsNameLookup lookup = lookup(silent.getLocalPort(), 100)) {
      NameLookup.Answer answer = ask(lookup, "hangs.example");
      assertThat(answer.addresses()).isEmpty();
      assertThat(answer.failure()).isEqualTo("the name server did not answer");
      assertThat(answer.absent()).isFalse();
      assertThat(answer.ttlNanos()).isPositive();
    }
  }

  @Test
  void whereAaaaIsNeverAnsweredIpv4IsTheAnswer() throws Exception {
    try (DatagramSocket onlyA = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        DnsNameLookup lookup = lookup(onlyA.getLocalPort(), 10 * PATIENT_MILLIS, 100)) {
      CompletableFuture<NameLookup.Answer> answer = new CompletableFuture<>();
      lookup.lookUp("four.example", answer::complete);
      onlyA.setSoTimeout((int) PATIENT_MILLIS);
      DatagramPacket first = question(onlyA);
      DatagramPacket second = question(onlyA);
      assertThat(Set.of(type(first), type(second))).containsExactlyInAnyOrder(A, AAAA);
      onlyA.send(answer(type(first) == A ? first : second, 33, 93, 184, 216, 34));

      assertThat(texts(await(answer))).containsExactly("93.184.216.34");
      assertThat(await(answer).ttlNanos()).isEqualTo(SECONDS.toNanos(33));
    }
  }

  @Test
  void whereAaaaIsNeverAnsweredTheNextNameIsTriedAtOnce() throws Exception {
    try (DatagramSocket onlyA = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        DnsNameLookup lookup = searching(onlyA.getLocalPort(), 10 * PATIENT_MILLIS)) {
      CompletableFuture<NameLookup.Answer> answer = new CompletableFuture<>();
      lookup.lookUp("four.example", answer::complete);
      onlyA.setSoTimeout((int) PATIENT_MILLIS);
      int asked = 0;
      while (asked < 2) {
        DatagramPacket question = question(onlyA);
        if (type(question) == A) {
          asked++;
          onlyA.send(asked == 1 ? absent(question) : answer(question, 33, 93, 184, 216, 34));
        }
      }

      assertThat(texts(await(answer))).containsExactly("93.184.216.34");
    }
  }

  @Test
  void whereAaaaIsNeverAnsweredTheNextNameIsTriedAfterItsTime() throws Exception {
    try (DatagramSocket onlyA = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        DnsNameLookup lookup = searching(onlyA.getLocalPort(), 100)) {
      // The first name exists, and has no address of IPv4.
      onlyA.setSoTimeout((int) PATIENT_MILLIS);
      Thread server =
          new Thread(
              () -> {
                try {
                  while (true) {
                    DatagramPacket question = question(onlyA);
                    if (type(question) == A) {
                      onlyA.send(
                          isFirst(question)
                              ? empty(question)
                              : answer(question, 33, 93, 184, 216, 34));
                    }
                  }
                } catch (Exception e) {
                  // The socket is closed.
                }
              });
      server.start();
      // A machine that stands still may lose an answer that came: then it is asked again.
      NameLookup.Answer answer = ask(lookup, "four.example");
      for (int tries = 0; answer.failure() != null; tries++) {
        assertThat(tries).isLessThan(100);
        answer = ask(lookup, "four.example");
      }

      assertThat(texts(answer)).containsExactly("93.184.216.34");
    }
  }

  @Test
  void silenceOfTwoNameServersIsTheAnswer() throws Exception {
    try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        DnsNameLookup lookup =
            new DnsNameLookup(
                FixedHostFiles.of(
                    silent.getLocalPort(), "nameserver 127.0.0.1", "nameserver 127.0.0.2"),
                20,
                PATIENT_MILLIS)) {
      assertThat(ask(lookup, "lost.example").failure()).isEqualTo("the name server did not answer");
    }
  }

  @Test
  void aLookUpWhoseFilesCannotBeReadEnds() throws Exception {
    HostFiles faulty =
        new HostFiles(
            Path.of("none"),
            Path.of("none"),
            53,
            () -> {
              throw new IllegalStateException("no clock");
            });
    try (DnsNameLookup lookup = new DnsNameLookup(faulty, PATIENT_MILLIS, PATIENT_MILLIS)) {
      assertThat(ask(lookup, "any.example").failure()).contains("no clock");
    }
  }

  @Test
  void afterCloseTheAnswerIsAFailure() throws Exception {
    DnsNameLookup lookup = new DnsNameLookup();
    lookup.close();
    assertThat(ask(lookup, "any.example").failure()).isEqualTo("the resolver is closed");
    lookup.close();
  }

  @Test
  void closingAnswersWhatIsUnderWay() throws Exception {
    try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      DnsNameLookup lookup = lookup(silent.getLocalPort(), PATIENT_MILLIS);
      CompletableFuture<NameLookup.Answer> hanging = new CompletableFuture<>();
      lookup.lookUp("hangs.example", hanging::complete);
      lookup.close();
      assertThat(await(hanging).failure()).isEqualTo("the resolver is closed");
    }
  }

  @Test
  void closingIsTheReasonAlsoWhenTheThreadHearsOfItLate() throws Exception {
    try (DatagramSocket server = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      DnsNameLookup lookup = lookup(server.getLocalPort(), PATIENT_MILLIS);
      server.setSoTimeout((int) PATIENT_MILLIS);
      CountDownLatch busy = new CountDownLatch(1);
      CountDownLatch closed = new CountDownLatch(1);
      lookup.lookUp(
          "answered.example",
          given -> {
            busy.countDown();
            try {
              closed.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      DatagramPacket first = question(server);
      DatagramPacket second = question(server);
      server.send(answer(first, 33, new int[type(first) == A ? 4 : 16]));
      server.send(answer(second, 33, new int[type(second) == A ? 4 : 16]));
      assertThat(busy.await(PATIENT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
      CompletableFuture<NameLookup.Answer> hanging = new CompletableFuture<>();
      lookup.lookUp("hangs.example", hanging::complete);
      lookup.close();
      closed.countDown();
      assertThat(await(hanging).failure()).isEqualTo("the resolver is closed");
    }
  }

  @Test
  void aReceiverThatThrowsTakesNoAnswerFromOthers() throws Exception {
    try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      DnsNameLookup lookup = lookup(silent.getLocalPort(), PATIENT_MILLIS);
      List<CompletableFuture<NameLookup.Answer>> hanging = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        CompletableFuture<NameLookup.Answer> answer = new CompletableFuture<>();
        hanging.add(answer);
        lookup.lookUp(
            "hangs" + i + ".example",
            given -> {
              answer.complete(given);
              throw new IllegalStateException("receiver");
            });
      }
      lookup.close();
      for (CompletableFuture<NameLookup.Answer> answer : hanging) {
        assertThat(await(answer).failure()).isEqualTo("the resolver is closed");
      }
    }
  }

  private static DatagramPacket question(DatagramSocket server) throws Exception {
    DatagramPacket question = new DatagramPacket(new byte[512], 512);
    server.receive(question);
    return question;
  }

  /** Where the name of the question ends: after the label of length 0. */
  private static int endOfName(DatagramPacket question) {
    byte[] bytes = question.getData();
    int at = 12;
    while (bytes[at] != 0) {
      at += 1 + bytes[at];
    }
    return at + 1;
  }

  private static int type(DatagramPacket question) {
    return ByteBuffer.wrap(question.getData()).getShort(endOfName(question));
  }

  /** The one address of a name: the question again, and a record that points to its name. */
  private static DatagramPacket answer(DatagramPacket question, int ttlSeconds, int... address) {
    ByteBuffer answer = ByteBuffer.allocate(512);
    answer.put(question.getData(), 0, endOfName(question) + 4);
    // An answer without error; one question, one answer, nothing else.
    answer.putShort(2, (short) 0x8180).putShort(4, (short) 1).putShort(6, (short) 1).putInt(8, 0);
    answer
        .putShort((short) 0xc00c)
        .putShort((short) type(question))
        .putShort((short) 1)
        .putInt(ttlSeconds);
    answer.putShort((short) address.length);
    for (int part : address) {
      answer.put((byte) part);
    }
    return new DatagramPacket(answer.array(), answer.position(), question.getSocketAddress());
  }

  /** The name does not exist. */
  private static DatagramPacket absent(DatagramPacket question) {
    return without(question, (short) 0x8183);
  }

  /** The name exists, and has no address of the family. */
  private static DatagramPacket empty(DatagramPacket question) {
    return without(question, (short) 0x8180);
  }

  private static DatagramPacket without(DatagramPacket question, short flags) {
    ByteBuffer answer = ByteBuffer.allocate(512);
    answer.put(question.getData(), 0, endOfName(question) + 4);
    answer.putShort(2, flags).putShort(4, (short) 1).putShort(6, (short) 0).putInt(8, 0);
    return new DatagramPacket(answer.array(), answer.position(), question.getSocketAddress());
  }

  /** Whether it is about {@code four.example.search}. */
  private static boolean isFirst(DatagramPacket question) {
    return endOfName(question) > 12 + "0four0example0".length();
  }

  /** A look-up that tries {@code NAME.search} before {@code NAME}. */
  private static DnsNameLookup searching(int port, long timeoutMillis) throws IOException {
    return new DnsNameLookup(
        FixedHostFiles.of(port, "nameserver 127.0.0.1", "search search", "options ndots:5"),
        timeoutMillis,
        100);
  }

  private static DnsNameLookup lookup(int port, long timeoutMillis) throws IOException {
    return lookup(port, timeoutMillis, PATIENT_MILLIS);
  }

  private static DnsNameLookup lookup(int port, long timeoutMillis, long secondFamilyGraceMillis)
      throws IOException {
    return new DnsNameLookup(
        FixedHostFiles.of(port, "nameserver 127.0.0.1"), timeoutMillis, secondFamilyGraceMillis);
  }

  private static NameLookup.Answer ask(DnsNameLookup lookup, String host) throws Exception {
    CompletableFuture<NameLookup.Answer> answer = new CompletableFuture<>();
    lookup.lookUp(host, answer::complete);
    return await(answer);
  }

  private static NameLookup.Answer await(CompletableFuture<NameLookup.Answer> answer)
      throws Exception {
    return answer.get(PATIENT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static List<String> texts(NameLookup.Answer answer) {
    return answer.addresses().stream().map(NetUtil::toAddressString).toList();
  }
}
