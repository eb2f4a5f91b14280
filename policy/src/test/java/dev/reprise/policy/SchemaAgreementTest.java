package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The published schema and the reader must say the same of every document that a schema can judge.
 */
class SchemaAgreementTest {
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
  private static final Schema TOPIC = schemaOf("topicPolicy");
  private static final Schema SUBSCRIPTION = schemaOf("subscriptionPolicy");
  private static final Schema EITHER =
      REGISTRY.getSchema(PolicyDocuments.schema(), InputFormat.JSON);

  private static Schema schemaOf(String definition) {
    String schema = PolicyDocuments.schema();
    int anyOf = schema.indexOf("\"anyOf\"");
    int end = schema.indexOf("],", anyOf);
    return REGISTRY.getSchema(
        schema.substring(0, anyOf)
            + "\"$ref\": \"#/$defs/"
            + definition
            + "\","
            + schema.substring(end + 2),
        InputFormat.JSON);
  }

  private static boolean schemaAccepts(Schema schema, String json) {
    return schema.validate(json, InputFormat.JSON).isEmpty();
  }

  private static boolean topicReaderAccepts(String json) {
    try {
      PolicyDocuments.readTopic(json);
      return true;
    } catch (PolicyException e) {
      return false;
    }
  }

  private static boolean subscriptionReaderAccepts(String json) {
    try {
      PolicyDocuments.readSubscription(json);
      return true;
    } catch (PolicyException e) {
      return false;
    }
  }

  private static void assertAgreement(String json) {
    boolean topic = topicReaderAccepts(json);
    boolean subscription = subscriptionReaderAccepts(json);

    assertThat(schemaAccepts(TOPIC, json)).as("topic schema on %s", json).isEqualTo(topic);
    assertThat(schemaAccepts(SUBSCRIPTION, json))
        .as("subscription schema on %s", json)
        .isEqualTo(subscription);
    assertThat(schemaAccepts(EITHER, json))
        .as("schema on %s", json)
        .isEqualTo(topic || subscription);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'healthyRetryPolicy':{}}",
        "{'healthyRetryPolicy':null,'throttlePolicy':null}",
        "{'healthyRetryPolicy':{'numRetries':100,'numNoDelayRetries':1,'minDelayTarget':0,"
            + "'maxDelayTarget':3600,'numMinDelayRetries':1,'numMaxDelayRetries':1,"
            + "'backoffFunction':'Exponential'},'throttlePolicy':{'maxReceivesPerSecond':1}}",
        "{'healthyRetryPolicy':{'minDelayTarget':'250ms','maxDelayTarget':'1h'}}",
        "{'healthyRetryPolicy':{'minDelayTarget':'PT0.5S','maxDelayTarget':'PT1M'}}",
        "{'healthyRetryPolicy':{'backoffFunction':'INDICATOR'}}",
        "{'healthyRetryPolicy':{'backoffFunction':'几何'}}",
        "{'healthyRetryPolicy':{'maxReceivesPerSecond':5}}",
        "{'maxReceivesPerSecond':2147483647}",
        "{'throttlePolicy':{}}",
        "'notification-email'",
        "{'preset':'no-retry','maxReceivesPerSecond':4}",
        "{'healthyRetryPolicy':'notification-queue'}",
        "{'healthyRetryPolicy':{'preset':'notification-queue','maxReceivesPerSecond':4}}",
        "{'healthyRetryPolicy':{},'sicklyRetryPolicy':null,'throttlePolicy':null,"
            + "'guaranteed':false}",
        "{'healthyRetryPolicy':{},'requestPolicy':{'headerContentType':'text/plain'}}",
        "{'requestPolicy':null}",
        "{'requestPolicy':{}}"
      })
  void bothAcceptForTopicAndSubscription(String quoted) {
    String json = quoted.replace('\'', '"');

    assertThat(topicReaderAccepts(json)).isTrue();
    assertThat(subscriptionReaderAccepts(json)).isTrue();
    assertAgreement(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'disableSubscriptionOverrides':true}",
        "{'http':'no-retry'}",
        "{'http':{'preset':'no-retry'}}",
        "{'http':{'defaultRequestPolicy':{'headerContentType':'application/json'}}}",
        "{'http':{'defaultHealthyRetryPolicy':{'numRetries':5},'defaultSicklyRetryPolicy':null,"
            + "'defaultThrottlePolicy':{'maxReceivesPerSecond':2},"
            + "'disableSubscriptionOverrides':false,'guaranteed':false}}"
      })
  void bothAcceptForTopicOnly(String quoted) {
    String json = quoted.replace('\'', '"');

    assertThat(topicReaderAccepts(json)).isTrue();
    assertThat(subscriptionReaderAccepts(json)).isFalse();
    assertAgreement(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "17",
        "null",
        "true",
        "'notification-fax'",
        "{'extra':1}",
        "{'requestPolicy':{'headerContentType':7}}",
        "{'requestPolicy':{'contentType':'text/plain'}}",
        "{'requestPolicy':'text/plain'}",
        "{'defaultRequestPolicy':{}}",
        "{'http':{'requestPolicy':{}}}",
        "{'numRetries':3}",
        "{'healthyRetryPolicy':[]}",
        "{'healthyRetryPolicy':{'numRetries':101}}",
        "{'healthyRetryPolicy':{'numRetries':-1}}",
        "{'healthyRetryPolicy':{'numRetries':1.5}}",
        "{'healthyRetryPolicy':{'numRetries':'3'}}",
        "{'healthyRetryPolicy':{'numRetries':null}}",
        "{'healthyRetryPolicy':{'numRetries':99999999999999999999}}",
        "{'healthyRetryPolicy':{'numMaxDelayRetries':-1}}",
        "{'healthyRetryPolicy':{'minDelayTarget':-1}}",
        "{'healthyRetryPolicy':{'maxDelayTarget':3601}}",
        "{'healthyRetryPolicy':{'maxDelayTarget':'20'}}",
        "{'healthyRetryPolicy':{'maxDelayTarget':'20 s'}}",
        "{'healthyRetryPolicy':{'maxDelayTarget':'20S'}}",
        "{'healthyRetryPolicy':{'maxDelayTarget':true}}",
        "{'healthyRetryPolicy':{'backoffFunction':'cubic'}}",
        "{'healthyRetryPolicy':{'backoffFunction':1}}",
        "{'healthyRetryPolicy':{'backoffFunction':null}}",
        "{'healthyRetryPolicy':{'extra':1}}",
        "{'healthyRetryPolicy':{'guaranteed':false}}",
        "{'healthyRetryPolicy':{'preset':'no-retry','numRetries':3}}",
        "{'healthyRetryPolicy':{'preset':'x'}}",
        "{'throttlePolicy':{'maxReceivesPerSecond':0}}",
        "{'throttlePolicy':{'maxReceivesPerSecond':2147483648}}",
        "{'throttlePolicy':{'extra':1}}",
        "{'throttlePolicy':[]}",
        "{'maxReceivesPerSecond':'5'}",
        "{'disableSubscriptionOverrides':'true'}",
        "{'disableSubscriptionOverrides':null}",
        "{'preset':'no-retry','healthyRetryPolicy':{}}",
        "{'sicklyRetryPolicy':{}}",
        "{'guaranteed':true}",
        "{'http':{'healthyRetryPolicy':{}}}",
        "{'http':{},'guaranteed':false}",
        "{'http':[]}"
      })
  void bothRefuse(String quoted) {
    String json = quoted.replace('\'', '"');

    assertThat(topicReaderAccepts(json)).isFalse();
    assertAgreement(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'healthyRetryPolicy':{'minDelayTarget':60,'maxDelayTarget':30}}",
        "{'healthyRetryPolicy':{'maxDelayTarget':'2h'}}",
        "{'healthyRetryPolicy':{'maxDelayTarget':'PT20.0001S'}}",
        "{'healthyRetryPolicy':{'numRetries':1,'numNoDelayRetries':2}}",
        "{'maxReceivesPerSecond':1,'throttlePolicy':{'maxReceivesPerSecond':1}}"
      })
  void readerAloneSeesWhatASchemaCannot(String quoted) {
    String json = quoted.replace('\'', '"');

    assertThat(topicReaderAccepts(json)).isFalse();
    assertThat(schemaAccepts(TOPIC, json)).isTrue();
  }

  @Test
  void schemaNamesEveryPreset() {
    for (String preset : Presets.notificationNames()) {
      assertAgreement("\"" + preset + "\"");
    }
  }

  @Test
  void canonicalFormsFitTheSchema() {
    for (String preset : Presets.notificationNames()) {
      NotificationPolicy policy = NotificationPolicy.of(Presets.get(preset));
      assertThat(schemaAccepts(TOPIC, PolicyDocuments.writeTopic(policy).toString())).isTrue();
      assertThat(schemaAccepts(SUBSCRIPTION, PolicyDocuments.writeSubscription(policy).toString()))
          .isTrue();
    }
  }
}
