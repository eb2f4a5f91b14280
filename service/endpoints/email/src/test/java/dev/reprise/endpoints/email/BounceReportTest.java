package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.endpoints.email.BounceReport.Action;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BounceReportTest {
  private static final String ID =
      "<01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f.orders-7@mail.example.com>";

  private static final String STATUS =
      """
      Reporting-MTA: dns; relay.example.com
      Original-Envelope-Id: 01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f.orders-7@mail.example.com
      Arrival-Date: Mon, 18 Nov 2024 10:00:00 +0000 (UTC)

      Final-Recipient: rfc822; ann@example.net
      Original-Recipient: rfc822;ann@example.net
      Action: failed
      Status: 5.1.1
      Remote-MTA: dns; mx.example.net
      Diagnostic-Code: smtp; 550 5.1.1 <ann@example.net>: Recipient address
          rejected: User unknown
      """;

  private static final String RETURNED =
      """
      Received: by relay.example.com
      From: Orders <orders@example.com>
      Message-ID: %s
      Subject: Hello
      """
          .formatted(ID);

  private static String bounce(String status, String returnedType, String returned) {
    return """
    Return-Path: <>
    From: MAILER-DAEMON@relay.example.com
    Subject: Undelivered Mail Returned to Sender
    Message-ID: <another@relay.example.com>
    MIME-Version: 1.0
    Content-Type: multipart/report; report-type=delivery-status;
    \tboundary="4F2.1/relay"

    This is a MIME-encapsulated message.

    --4F2.1/relay
    Content-Description: Notification
    Content-Type: text/plain; charset=us-ascii

    Your message could not be delivered. Action: failed

    --4F2.1/relay
    Content-Description: Delivery report
    Content-Type: message/delivery-status

    %s
    --4F2.1/relay
    Content-Description: Undelivered Message
    Content-Type: %s

    %s
    --4F2.1/relay--
    """
        .formatted(status, returnedType, returned);
  }

  private static Optional<BounceReport> read(String mail) {
    return BounceReport.read(mail.getBytes(ISO_8859_1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"message/rfc822", "text/rfc822-headers", "Message/RFC822; x=y"})
  void bounceTellsOfItsMessage(String returnedType) {
    String mail = bounce(STATUS, returnedType, RETURNED + "\nHello\n");

    BounceReport report = read(mail).orElseThrow();

    assertThat(report)
        .isEqualTo(
            new BounceReport(
                ID,
                Action.FAILED,
                "5.1.1",
                "550 5.1.1 <ann@example.net>: Recipient address rejected: User unknown",
                "ann@example.net"));
    assertThat(report.toReceipt())
        .contains(
            new Receipt(
                ID,
                false,
                550,
                "failed 5.1.1: 550 5.1.1 <ann@example.net>: Recipient address rejected: User"
                    + " unknown"));
  }

  @Test
  void bounceIsReadWithAnyLineEnds() throws IOException {
    String mail = bounce(STATUS, "message/rfc822", RETURNED);
    byte[] bytes = ("From MAILER-DAEMON Mon\n" + mail).replace("\n", "\r\n").getBytes(US_ASCII);

    assertThat(BounceReport.read(bytes)).isEqualTo(read(mail));
  }

  @Test
  void envelopeNamesTheMessageThatIsNotReturned() {
    assertThat(read(bounce(STATUS, "text/plain", "nothing")).orElseThrow().messageId())
        .isEqualTo(ID);
    String foreign = STATUS.replaceAll("Original-Envelope-Id: .*", "Original-Envelope-Id: 4F2");
    BounceReport report = read(bounce(foreign, "text/plain", "nothing")).orElseThrow();
    assertThat(report.messageId()).isEmpty();
    assertThat(report.toReceipt()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "failed,FAILED,false",
    "Failed (5 days),FAILED,false",
    "DELIVERED,DELIVERED,true",
    "relayed,RELAYED,",
    "expanded,EXPANDED,",
    "delayed,DELAYED,"
  })
  void actionsTellHowItFared(String text, Action action, Boolean delivered) {
    String status = STATUS.replace("Action: failed", "Action: " + text);

    BounceReport report = read(bounce(status, "message/rfc822", RETURNED)).orElseThrow();

    assertThat(report.action()).isEqualTo(action);
    assertThat(report.toReceipt().map(Receipt::delivered))
        .isEqualTo(Optional.ofNullable(delivered));
  }

  @Test
  void failureOfOneRecipientIsTheWorstOfSeveral() {
    String status =
        STATUS.replace("Action: failed", "Action: delivered").replace("5.1.1", "2.0.0")
            + "\nFinal-Recipient: rfc822; bob@example.net\nAction: failed\nStatus: 5.2.2\n";

    BounceReport report = read(bounce(status, "message/rfc822", RETURNED)).orElseThrow();

    assertThat(report.action()).isEqualTo(Action.FAILED);
    assertThat(report.finalRecipient()).isEqualTo("bob@example.net");
    assertThat(report.toReceipt().orElseThrow().summary()).isEqualTo("failed 5.2.2");
  }

  @Test
  void encodedPartsAreRead() {
    String encoded = Base64.getMimeEncoder().encodeToString(STATUS.getBytes(US_ASCII));
    String mail =
        bounce(encoded, "message/rfc822\nContent-Transfer-Encoding: quoted-printable", RETURNED)
            .replace(
                "Content-Type: message/delivery-status",
                "Content-Type: message/delivery-status\nContent-Transfer-Encoding: base64");

    assertThat(read(mail)).isEqualTo(read(bounce(STATUS, "message/rfc822", RETURNED)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Subject: hello\n\nAction: failed\n",
        "Content-Type: multipart/report\n\n--x\n\nAction: failed\n",
        "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nAction: failed\n--x--\n",
        "Content-Type: multipart/report; boundary=x\n\n--x\nContent-Type:"
            + " message/delivery-status\n\nAction: dancing\n--x--\n"
      })
  void otherMailIsNoReport(String mail) {
    assertThat(read(mail)).isEmpty();
  }

  @Test
  void oneMegabyteOfBoundariesIsRead() {
    String head = "Content-Type: multipart/report; boundary=x\n\n";
    assertThat(read(head + "--x\n".repeat(BounceReport.MAX_BYTES / 4))).isEmpty();
    assertThat(read(head + "\n".repeat(BounceReport.MAX_BYTES))).isEmpty();
    assertThat(read("a".repeat(BounceReport.MAX_BYTES))).isEmpty();
    assertThat(read("a:b\n".repeat(BounceReport.MAX_BYTES / 4))).isEmpty();
    assertThat(read("A: " + " b\n".repeat(BounceReport.MAX_BYTES / 3))).isEmpty();
  }

  @Property(tries = 500)
  void bytesOfStrangersDoNoHarm(@ForAll byte[] bytes) {
    harmless(BounceReport.read(bytes));
  }

  /** Bounces with bytes changed, taken away and doubled reach further than random ones. */
  @Property(tries = 1000)
  void damagedBouncesDoNoHarm(@ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int damages) {
    Random random = new Random(seed);
    StringBuilder mail = new StringBuilder(bounce(STATUS, "message/rfc822", RETURNED));
    for (int i = 0; i < damages; i++) {
      int at = random.nextInt(mail.length() - 20);
      switch (random.nextInt(3)) {
        case 0 -> mail.setCharAt(at, (char) random.nextInt(256));
        case 1 -> mail.delete(at, at + random.nextInt(20));
        default -> mail.insert(at, mail.substring(at, at + random.nextInt(20)));
      }
    }
    harmless(read(mail.toString()));
  }

  private static void harmless(Optional<BounceReport> read) {
    if (read.isPresent()) {
      BounceReport report = read.get();
      assertThat(report.messageId()).matches("|<[!-~]{1,900}>");
      assertThat(report.status()).matches("|[245]\\.[0-9]{1,3}\\.[0-9]{1,3}");
      assertThat(report.diagnostic()).hasSizeLessThan(402).doesNotContain("\n", "\r");
      assertThat(report.toReceipt().map(Receipt::summary).orElse("")).hasSizeLessThan(402);
    }
  }
}
