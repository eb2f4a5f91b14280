package dev.reprise.smithy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.core.InvalidSettingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.smithy.model.node.Node;
import software.amazon.smithy.model.shapes.ShapeId;

class RetryErrorsSettingsTest {
  @Test
  void areReadFromJson() {
    assertThat(read("{\"service\": \"a.b#C\", \"package\": \"x.y\"}"))
        .isEqualTo(new RetryErrorsSettings(ShapeId.from("a.b#C"), "x.y"));
    assertThat(read("{}")).isEqualTo(RetryErrorsSettings.defaults());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"pakage": "x"}     | "pakage" is no setting: the settings are service and package
          {"package": 5}      | package is 5: must be a string
          {"package": null}   | package is null: must be a string
          {"package": ""}     | package is "": must be a Java package name, such as com.example.errors
          {"package": "a..b"} | package is "a..b": must be a Java package name, such as com.example.errors
          {"package": "a.int"} | package is "a.int": must be a Java package name, such as com.example.errors
          {"package": "a-b"}  | package is "a-b": must be a Java package name, such as com.example.errors
          {"service": ["a#B"]} | service is ["a#B"]: must be a string
          {"service": "Weather"} | service is "Weather": must be namespace#Name, such as example.weather#Weather
          """)
  void aWrongSettingIsNamed(String json, String message) {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> read(json))
        .withMessage(message);
  }

  private static RetryErrorsSettings read(String json) {
    return RetryErrorsSettings.read(Node.parse(json).expectObjectNode());
  }
}
