package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.policy.PolicyDocuments;
import dev.reprise.spring.RepriseProperties.NamedRetry;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an editor is told of the properties is what there is. */
class ConfigurationMetadataTest {
  @Test
  void theMetadataNamesTheTypeThatIsBound() throws Exception {
    JsonNode metadata;
    try (InputStream in =
        RepriseProperties.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      metadata = JsonMapper.shared().readTree(in);
    }
    JsonNode property = metadata.at("/properties/0");
    assertThat(property.at("/name").stringValue()).isEqualTo("reprise.retry");
    assertThat(property.at("/type").stringValue())
        .isEqualTo("java.util.Map<java.lang.String," + NamedRetry.class.getName() + ">");
    assertThat(property.at("/sourceType").stringValue())
        .isEqualTo(RepriseProperties.class.getName());
  }

  /**
   * Two flags of documents are for those who follow the AWS SDKs to the letter, and a preset is
   * what the property {@code policy} names: these three come by {@code policy} only.
   */
  @Test
  void thePropertiesAreTheFieldsOfPolicyDocuments() {
    JsonNode fields =
        JsonMapper.shared()
            .readTree(PolicyDocuments.policySchema())
            .at("/$defs/strategyPolicy/properties");
    List<String> documented = new ArrayList<>(fields.propertyNames());
    documented.removeAll(List.of("preset", "clampsHints", "delaysLongPolls"));
    List<String> properties =
        Arrays.stream(NamedRetry.class.getRecordComponents())
            .map(RecordComponent::getName)
            .filter(name -> !name.equals("policy"))
            .toList();

    assertThat(properties).containsExactlyInAnyOrderElementsOf(documented);
  }
}
