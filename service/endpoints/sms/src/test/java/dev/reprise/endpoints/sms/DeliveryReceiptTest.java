package dev.reprise.endpoints.sms;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.smpp.pdu.DeliverSm;
import com.cloudhopper.smpp.tlv.Tlv;
import com.cloudhopper.smpp.transcoder.DefaultPduTranscoder;
import com.cloudhopper.smpp.transcoder.DefaultPduTranscoderContext;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NumericChars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryReceiptTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id:17 sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:DELIVRD err:000"
            + " text:hi|17|DELIVERED|000",
        "id:17 sub:001 dlvrd:001 submit date:261121120000 done date:261121120100 stat:UNDELIV"
            + " err:011 Text:hi|17|UNDELIVERABLE|011",
        "ID:c449ab9744f47b6af1879e49e75e4f40 STAT:Expired ERR:1|c449ab9744f47b6af1879e49e75e4f40"
            + "|EXPIRED|1",
        "id:0196c4e2-7b1a stat:DELIVERED|0196c4e2-7b1a|DELIVERED|''",
        "stat:REJECTD id:5|5|REJECTED|''",
        "id:5 stat:DELET err:|5|DELETED|''",
        "id:  5  stat:EXPIRED|5|EXPIRED|''",
        "id:\t5 sub: dlvrd: stat: UNDELIV err: text: hi|5|UNDELIVERABLE|''",
        "id:5 stat:DELIVRD text:id:6 stat:UNDELIV err:9|5|DELIVERED|''"
      })
  void textsOfManyKindsAreRead(String text, String id, MessageState state, String error) {
    assertThat(DeliveryReceipt.read(text, null, null))
        .isEqualTo(new DeliveryReceipt(id, state, error));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''",
        "text:id:5 stat:DELIVRD",
        "xid:5 stat:DELIVRD",
        "id:5 stat:",
        "id: sub:001 stat:DELIVRD",
        "id:5 stat: err:001",
        "id:5 stat:NONSENSE",
        "id:5 stat:DEL"
      })
  void aTextThatSaysTooLittleIsNoReceipt(String text) {
    assertThat(DeliveryReceipt.read(text, null, null)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id:5 stat:DELIVRD|true",
        "ID: 5 SUB: 001 STAT: UNDELIVERABLE|true",
        "id:5 sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:DELIVRD"
            + " err:000 text:|true",
        "hello id:5 stat:DELIVRD|false",
        "id:5 I am stat:DELIVRD|false",
        "id:5 stat:DELIVRDX|false",
        "id:5 stat:great|false",
        "id: stat:DELIVRD|false",
        "my id:5 stat:DELIVRD|false"
      })
  void aTextIsAReceiptIfItIsNothingElse(String text, boolean isOne) {
    assertThat(DeliveryReceipt.isOne(text)).isEqualTo(isOne);
  }

  @Property
  void aReceiptIsReadInAnyOrder(
      @ForAll @NumericChars @AlphaChars @StringLength(min = 1, max = 64) String id,
      @ForAll MessageState state,
      @ForAll @NumericChars @StringLength(min = 1, max = 3) String error,
      @ForAll Random random) {
    String[] fields = {
      "id:" + id, "stat:" + state.word(), "err:" + error, "sub:001", "done date:2611211200"
    };
    java.util.Collections.shuffle(Arrays.asList(fields), random);

    assertThat(DeliveryReceipt.read(String.join(" ", fields) + " text:x", null, null))
        .isEqualTo(new DeliveryReceipt(id, state, error));
  }

  @Property
  void anyTextIsAReceiptOrNone(@ForAll("texts") String text, @ForAll @IntRange int state) {
    DeliveryReceipt receipt = DeliveryReceipt.read(text, null, state);
    if (receipt != null) {
      assertThat(receipt.id()).isNotBlank().hasSizeLessThanOrEqualTo(64);
      assertThat(receipt.summary()).doesNotContainPattern("\\p{Cntrl}");
    }
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> words =
        Arbitraries.oneOf(
            Arbitraries.of(
                "id:", "stat:", "err:", "text:", " ", "\t", "DELIVRD", "UNDELIV", "İ", "\0"),
            Arbitraries.strings().ofMaxLength(70));
    return words.list().ofMaxSize(20).map(list -> String.join("", list));
  }

  @Property
  void anyBytesAreAMessageOrNone(@ForAll @Size(max = 400) byte[] bytes) {
    IncomingMessage message = IncomingMessage.read(bytes);
    if (message != null) {
      DeliveryReceipt.read(message.text(), message.receiptedId(), message.messageState());
    }
  }

  @Property
  void aMessageThatIsDamagedIsReadOrNot(@ForAll("damaged") byte[] pdu) {
    IncomingMessage message = IncomingMessage.read(pdu);
    if (message != null && message.isReceipt()) {
      DeliveryReceipt.read(message.text(), message.receiptedId(), message.messageState());
    }
  }

  @Property
  void aMessageOfOthersIsRead(
      @ForAll @StringLength(max = 200) @AlphaChars String text,
      @ForAll @StringLength(max = 64) @AlphaChars String id,
      @ForAll @IntRange(max = 127) int state) {
    IncomingMessage message = IncomingMessage.read(pdu(text, id, state));

    assertThat(message).isEqualTo(new IncomingMessage(true, text, id, state));
  }

  @Provide
  Arbitrary<byte[]> damaged() {
    byte[] whole = pdu("id:17 sub:001 dlvrd:001 stat:DELIVRD err:000 text:hello", "17", 2);
    Arbitrary<byte[]> changed =
        Combinators.combine(
                Arbitraries.integers().between(16, whole.length - 1), Arbitraries.bytes())
            .as((at, with) -> new byte[] {(byte) at.intValue(), with})
            .list()
            .ofMaxSize(5)
            .map(
                changes -> {
                  byte[] pdu = whole.clone();
                  changes.forEach(change -> pdu[change[0] & 0xff] = change[1]);
                  return pdu;
                });
    return Combinators.combine(changed, Arbitraries.integers().between(16, whole.length))
        .as(Arrays::copyOf);
  }

  private static byte[] pdu(String text, String id, int state) {
    try {
      DeliverSm deliver =
          CentreSession.deliverSm(
              4,
              text.getBytes(ISO_8859_1),
              new Tlv((short) 0x1e, (id + "\0").getBytes(ISO_8859_1)),
              new Tlv((short) 0x427, new byte[] {(byte) state}));
      deliver.setSequenceNumber(1);
      return new DefaultPduTranscoder(new DefaultPduTranscoderContext()).encode(deliver).array();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
