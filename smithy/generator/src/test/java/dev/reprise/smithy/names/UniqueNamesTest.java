package dev.reprise.smithy.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UniqueNamesTest {
  @ParameterizedTest
  @CsvSource({
    "city, city",
    "City, city",
    "CancellationReasons, cancellationReasons",
    "HTTPCode, httpCode",
    "URL, url",
    "SS, ss",
    "S3Bucket, s3Bucket",
    "reset_after, resetAfter",
    "snake_case_word, snakeCaseWord",
    "_private, privateMember",
    "class, classMember",
    "default, defaultMember",
    "record, record",
    "var, var",
    "true, trueMember",
    "null, nullMember",
    "cause, causeMember",
    "retryAfter, retryAfterMember",
    "RetryAfter, retryAfterMember",
    "httpStatus, httpStatusMember",
    "getClass, getClassMember",
    "message, message",
  })
  void membersAreNamedAsJavaDoes(String member, String accessor) {
    assertThat(UniqueNames.members(List.of(member)).values()).containsExactly(accessor);
  }

  @Test
  void namesThatAreTheSameInJavaAreNumbered() {
    assertThat(UniqueNames.members(List.of("fooBar", "foo_bar", "FooBar")).values())
        .containsExactly("fooBar", "fooBar2", "fooBar3");
  }

  @Test
  void theOrderIsKept() {
    assertThat(UniqueNames.members(List.of("z", "a", "m")).keySet()).containsExactly("z", "a", "m");
  }

  @Test
  void constantsAreInCapitals() {
    assertThat(
            UniqueNames.constants(List.of("RED", "darkBlue", "light-green", "a.b", "2x", "KNOWN"))
                .values())
        .containsExactly("RED", "DARK_BLUE", "LIGHT_GREEN", "A_B", "VALUE_2X", "KNOWN_VALUE");
  }

  @Test
  void aUnionsMemberUnknownLeavesThatNameToTheUnknown() {
    assertThat(UniqueNames.variants(List.of("circle", "unknown", "S"), "Figure").values())
        .containsExactly("CircleMember", "UnknownValueMember", "SMember");
  }

  @Test
  void noVariantHasTheNameOfItsUnion() {
    assertThat(UniqueNames.variants(List.of("foo"), "FooMember").values())
        .containsExactly("FooValueMember");
  }

  @Test
  void aMemberHidesNoPackage() {
    assertThat(UniqueNames.members(List.of("java", "dev")).values())
        .containsExactly("javaMember", "devMember");
  }
}
