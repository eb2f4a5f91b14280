package dev.reprise.endpoints.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.cloudhopper.smpp.pdu.BaseBind;
import com.cloudhopper.smpp.pdu.BindReceiver;
import com.cloudhopper.smpp.pdu.BindTransmitter;
import com.cloudhopper.smpp.pdu.EnquireLink;
import com.cloudhopper.smpp.pdu.EnquireLinkResp;
import com.cloudhopper.smpp.pdu.Unbind;
import com.cloudhopper.smpp.pdu.UnbindResp;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.testkit.RefusingPort;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SmppBindsTest {
  private static SmsCentre centre;
  private static SmsCentre second;

  @BeforeAll
  static void open() throws Exception {
    centre = new SmsCentre();
    second = new SmsCentre();
  }

  @AfterAll
  static void close() {
    centre.close();
    second.close();
  }

  @AfterEach
  void reset() {
    centre.reset();
    second.reset();
  }

  @Test
  void theAccountIsBoundWithoutAnAttempt() throws Exception {
    try (SmppSetting setting =
        SmppSetting.bound(centre.address(), 10, "\"systemType\": \"ESME\"")) {
      BaseBind<?> bind = centre.binds.take();

      assertThat(bind.getSystemId()).isEqualTo("reprise");
      assertThat(bind.getPassword()).isEqualTo("secret");
      assertThat(bind.getSystemType()).isEqualTo("ESME");
      assertThat(bind.getInterfaceVersion()).isEqualTo((byte) 0x34);
      assertThat(setting.carrier.state().fault()).isNull();
      assertThat(setting.context.recoveries()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0x05, ESME_RALYBND",
    "0x0D, ESME_RBINDFAIL",
    "0x0E, ESME_RINVPASWD",
    "0x0F, ESME_RINVSYSID",
    "0x08, ESME_RSYSERR",
    "0x58, ESME_RTHROTTLED",
    "0x401, (not of SMPP 3.4)"
  })
  void aBindThatIsRefusedIsAFaultUntilItIsNot(String code, String name) throws Exception {
    int status = Integer.decode(code);
    centre.answerBinds(status);
    try (SmppSetting setting = new SmppSetting(centre.address(), 10, "\"binds\": 2")) {
      Await.until("a fault", () -> setting.carrier.state().fault() != null);
      String reason = String.format("bind refused: 0x%08X %s", status, name);
      AttemptOutcome outcome = setting.send("hello");

      assertThat(setting.carrier.state().fault()).isEqualTo(centre.address() + ": " + reason);
      assertThat(setting.carrier.state().faultSinceMillis()).isPositive();
      assertThat(setting.carrier.state().connections()).isZero();
      assertThat(outcome.made()).isFalse();
      assertThat(outcome.summary()).contains(reason).doesNotContain("secret");
      assertThat(outcome.block().time()).isPositive();

      centre.answerBinds(0);
      Await.until("a recovery", () -> setting.context.recoveries() > 0);
      assertThat(setting.carrier.state().fault()).isNull();
      assertThat(setting.sendUntilMade("hello").succeeded()).isTrue();
      setting.awaitConnections(2);
      assertThat(setting.context.recoveries()).isEqualTo(1);
    }
  }

  @Test
  void aFaultIsToldToOneWhoTests() throws Exception {
    centre.answerBinds(0x0e);
    try (SmppSetting setting = new SmppSetting(centre.address(), 10, "")) {
      assertThatThrownBy(
              () -> setting.carrier.test().toCompletableFuture().get(1, TimeUnit.MINUTES))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("bind refused: 0x0000000E ESME_RINVPASWD");
      centre.answerBinds(0);

      assertThat(setting.carrier.test().toCompletableFuture().get(1, TimeUnit.MINUTES))
          .isEqualTo("bound as reprise to " + centre.address());
      assertThat(setting.carrier.state().fault()).isNull();
      assertThat(setting.carrier.test().toCompletableFuture().get(1, TimeUnit.MINUTES))
          .isEqualTo("bound as reprise to " + centre.address());
    }
  }

  @Test
  void twoBindsShareTheWindow() throws Exception {
    centre.onSubmit((session, submit) -> {});
    try (SmppSetting setting = new SmppSetting(centre.address(), 10, "\"binds\": 2")) {
      setting.awaitConnections(2);
      for (int i = 0; i < 10; i++) {
        var unused = setting.start("message " + i);
      }
      for (CentreSession session : centre.sessions) {
        Await.until("five are unanswered", () -> session.unanswered() == 5);
      }
      assertThat(setting.carrier.state().inFlight()).isEqualTo(10);
      AttemptOutcome eleventh = setting.send("one more");
      assertThat(eleventh.made()).isFalse();
      assertThat(eleventh.summary()).isEqualTo("10 attempts are under way, the most there may be");

      for (CentreSession session : centre.sessions) {
        assertThat(session.mostUnanswered()).isEqualTo(5);
        session.submits.forEach(submit -> centre.take(session, submit));
      }
      Await.until("nothing in flight", () -> setting.carrier.state().inFlight() == 0);
    }
  }

  @Test
  void oneBindThatIsLostLeavesTheOtherAtWork() throws Exception {
    try (SmppSetting setting = new SmppSetting(centre.address(), 10, "\"binds\": 2")) {
      setting.awaitConnections(2);
      centre.opened.clear();
      centre.sessions.get(0).hangUp();

      assertThat(setting.send("hello").made()).isTrue();
      assertThat(setting.carrier.state().fault()).isNull();
      assertThat(centre.awaitSession()).isNotNull();
      setting.awaitConnections(2);
    }
  }

  @Test
  void aBindCanBeTwoSessions() throws Exception {
    try (SmppSetting setting =
        new SmppSetting(centre.address(), 10, "\"bindType\": \"transmitter-and-receiver\"")) {
      setting.awaitConnections(2);
      assertThat(centre.binds.take()).isInstanceOf(BindTransmitter.class);
      assertThat(centre.binds.take()).isInstanceOf(BindReceiver.class);
      CentreSession transmitter = centre.awaitSession();
      CentreSession receiver = centre.awaitSession();

      centre.onSubmit((session, submit) -> session.answer(submit, 0, "17"));
      assertThat(setting.send("hello").receiptIds()).containsExactly("17");
      assertThat(transmitter.submits).hasSize(1);
      assertThat(receiver.receipt("id:17 stat:DELIVRD err:000")).isZero();
      assertThat(setting.context.awaitReceipt().id()).isEqualTo("17");

      receiver.hangUp();
      transmitter.awaitClosed();
      assertThat(centre.awaitSession()).isNotNull();
      assertThat(setting.sendUntilMade("hello again").succeeded()).isTrue();
    }
  }

  @Test
  void addressesAreTriedInTheirOrder() throws Exception {
    try (RefusingPort down = RefusingPort.take()) {
      String first = "127.0.0.1:" + down.number();
      centre.bindStatuses.add(0x0d);
      try (SmppSetting setting =
          new SmppSetting(first + "," + centre.address() + "," + second.address(), 10, "")) {
        CentreSession atSecond = second.awaitSession();
        assertThat(centre.binds).hasSize(1);
        assertThat(setting.sendUntilMade("hello").address()).isEqualTo(second.address());

        // The first that lets us in is asked again at each connection.
        atSecond.hangUp();
        CentreSession atFirst = centre.awaitSession();
        assertThat(setting.sendUntilMade("hello").address()).isEqualTo(centre.address());
        try (SmsCentre third = new SmsCentre(down.number(), null)) {
          atFirst.hangUp();
          assertThat(third.awaitSession()).isNotNull();
        }
      }
    }
  }

  @Test
  void aFaultNamesEachAddress() throws Exception {
    try (RefusingPort down = RefusingPort.take()) {
      centre.answerBinds(0x0d);
      String addresses = "127.0.0.1:" + down.number() + "," + centre.address();
      try (SmppSetting setting = new SmppSetting(addresses, 10, "")) {
        Await.until("a fault", () -> setting.carrier.state().fault() != null);

        assertThat(setting.carrier.state().fault())
            .startsWith("127.0.0.1:" + down.number() + ": Connection refused")
            .endsWith("; " + centre.address() + ": bind refused: 0x0000000D ESME_RBINDFAIL");
      }
    }
  }

  @Test
  void aSignIsGivenToOneWhoAsks() throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      assertThat(centre.awaitSession().ask(new EnquireLink())).isInstanceOf(EnquireLinkResp.class);
      assertThat(setting.carrier.state().connections()).isEqualTo(1);
    }
  }

  @Test
  void aLinkThatAnswersIsKept() throws Exception {
    // A machine that stands still answers late: then the time is longer.
    boolean isKept = false;
    for (int millis = 100; !isKept && millis < 100_000; millis *= 4) {
      String interval = "\"enquireLinkInterval\": \"" + millis + "ms\"";
      try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, interval)) {
        CentreSession session = centre.awaitSession();
        Await.until(
            "two requests or the end",
            () -> session.requests.size() >= 2 || session.closed.getCount() == 0);
        isKept = session.closed.getCount() == 1;
        assertThat(setting.carrier.state().inFlight()).isZero();
        assertThat(session.requests).allMatch(request -> request instanceof EnquireLink);
      }
      centre.reset();
    }
    assertThat(isKept).isTrue();
  }

  @Test
  void aLinkThatDoesNotAnswerIsGivenUp() throws Exception {
    try (SmppSetting setting =
        SmppSetting.bound(centre.address(), 10, "\"enquireLinkInterval\": \"100ms\"")) {
      CentreSession session = centre.awaitSession();
      session.answersEnquireLink = false;
      session.awaitClosed();

      assertThat(centre.awaitSession()).isNotNull();
      Await.until("a recovery", () -> setting.context.recoveries() > 0);
    }
  }

  @Test
  void aSessionThatTheOtherSideUnbindsIsFollowed() throws Exception {
    try (SmppSetting setting = SmppSetting.bound(centre.address(), 10, "")) {
      CentreSession session = centre.awaitSession();

      assertThat(session.ask(new Unbind())).isInstanceOf(UnbindResp.class);
      session.awaitClosed();
      assertThat(centre.awaitSession()).isNotNull();
      assertThat(setting.sendUntilMade("hello").succeeded()).isTrue();
    }
  }

  @Test
  void aCarrierThatClosesUnbindsAndLeavesNoThread() throws Exception {
    SmppSetting setting = SmppSetting.bound(centre.address(), 10, "\"binds\": 2");
    setting.awaitConnections(2);
    assertThat(threads()).isNotEmpty();
    assertThat(threads()).allMatch(Thread::isDaemon);
    setting.close();

    for (CentreSession session : centre.sessions) {
      session.awaitRequest(Unbind.class);
      session.awaitClosed();
    }
    Await.until("its threads end", () -> threads().isEmpty());
    assertThat(setting.send("hello").summary()).isEqualTo("the carrier is closed");
    assertThatThrownBy(() -> setting.carrier.test().toCompletableFuture().get(1, TimeUnit.MINUTES))
        .hasMessageContaining("the carrier is closed");
  }

  @Test
  void aCarrierClosesWhileItCannotBind() throws Exception {
    try (RefusingPort down = RefusingPort.take()) {
      SmppSetting setting = new SmppSetting("127.0.0.1:" + down.number(), 10, "");
      Await.until("a fault", () -> setting.carrier.state().fault() != null);
      setting.close();

      Await.until("its threads end", () -> threads().isEmpty());
    }
  }

  @Test
  void aCarrierClosesWhileABindIsNotAnswered() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      SmppSetting setting = new SmppSetting("127.0.0.1:" + mute.getLocalPort(), 10, "");
      try (Socket accepted = mute.accept()) {
        accepted.getInputStream().readNBytes(16);
        var test = setting.carrier.test().toCompletableFuture();
        setting.close();

        assertThat(test).isCompletedExceptionally();
        Await.until("its threads end", () -> threads().isEmpty());
        assertThat(setting.carrier.state().connections()).isZero();
      }
    }
  }

  @Test
  void aCarrierClosesOnAThreadThatIsInterrupted() throws Exception {
    SmppSetting setting = SmppSetting.bound(centre.address(), 10, "");
    CentreSession session = centre.awaitSession();
    Thread closing =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              setting.close();
            });
    closing.start();
    closing.join(60_000);

    session.awaitClosed();
    Await.until("its threads end", () -> threads().isEmpty());
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("smpp-"))
        .collect(Collectors.toSet());
  }

  @Test
  @Tag("slow")
  void tlsIsSpokenWithThoseWhomWeTrust(@TempDir Path folder) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    try (InputStream file = Files.newInputStream(authority.trustStore())) {
      trusted.load(file, TestAuthority.KEY_STORE_PASSWORD.toCharArray());
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    try (SmsCentre secure = new SmsCentre(0, authority.server().keyStore());
        SmppSetting setting =
            new SmppSetting(
                "localhost:" + secure.port(), 10, "\"tls\": true", context.getSocketFactory());
        SmppSetting distrustful =
            new SmppSetting("localhost:" + secure.port(), 10, "\"tls\": true")) {
      setting.awaitConnections(1);
      assertThat(setting.send("hello").succeeded()).isTrue();
      // On a machine that stands still, another fault may come first: no answer in time.
      Await.until(
          "the fault names the path",
          () -> String.valueOf(distrustful.carrier.state().fault()).contains("certification path"));
    }
  }
}
