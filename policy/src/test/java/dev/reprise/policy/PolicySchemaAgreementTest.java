package dev.reprise.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The published schema and the reader say the same of what a schema can judge, in both formats. */
class PolicySchemaAgreementTest {
  private static boolean readerAccepts(String json) {
    try {
      PolicyDocuments.read(json);
      return true;
    } catch (PolicyException e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'azure-iot'",
        "{}",
        "{'numRetries':3,'minDelayTarget':'1s'}",
        "{'healthyRetryPolicy':{'numRetries':3},'throttlePolicy':{'maxReceivesPerSecond':9}}",
        "{'http':{'defaultHealthyRetryPolicy':'no-retry'}}",
        "{'preset':'no-retry'}",
        "{'preset':'azure-iot'}",
        "{'preset':'azure-iot','maxAttempts':10}",
        "{'preset':'azure-iot','strategy':'none'}",
        "{'preset':'notification-sms','deadline':'1h'}",
        "{'strategy':'standard'}",
        "{'strategy':'none','deadline':'1s','idempotent':true}",
        "{'strategy':'adaptive','maxAttempts':'unlimited','budget':'unlimited'}",
        "{'strategy':'standard','hedging':{'delay':'1s'},'idempotent':true}",
        "{'strategy':'standard','backoff':{'type':'none','retries':2,'then':{'type':'none'}}}",
        "{'strategy':'standard','backoff':{'type':'fixed','delay':'PT0.5S','jitter':0.5}}",
        "{'strategy':'standard','backoff':{'type':'staged','minDelay':'1s','maxDelay':'2s',"
            + "'function':'Geometry','backoffRetries':3,'cap':'2s','jitter':'none'}}",
        "{'strategy':'standard','budget':{'type':'token-bucket','errorTokens':0.125}}",
        "{'strategy':'standard','budget':{'type':'ratio','retriesPerSuccess':0,"
            + "'retriesPerSecond':0.001}}"
      })
  void bothAccept(String quoted) {
    String json = quoted.replace('\'', '"');

    assertThat(readerAccepts(json)).as("reader").isTrue();
    assertThat(PolicySchema.accepts(json)).as("schema").isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "17",
        "null",
        "'azure'",
        "{'extra':1}",
        "{'maxAttempts':3}",
        "{'preset':'azure'}",
        "{'preset':3,'maxAttempts':3}",
        "{'strategy':'fast'}",
        "{'strategy':'standard','extra':1}",
        "{'strategy':'standard','numRetries':3}",
        "{'strategy':'standard','healthyRetryPolicy':{}}",
        "{'strategy':'standard','throttlePolicy':{'maxReceivesPerSecond':3}}",
        "{'strategy':'standard','maxAttempts':0}",
        "{'strategy':'standard','maxAttempts':2147483647}",
        "{'strategy':'standard','maxAttempts':null}",
        "{'strategy':'standard','maxAttempts':'3'}",
        "{'strategy':'none','maxAttempts':3}",
        "{'strategy':'none','hedging':{'delay':'1s'},'idempotent':true}",
        "{'strategy':'standard','hintCeiling':5}",
        "{'strategy':'standard','hintCeiling':'5'}",
        "{'strategy':'standard','deadline':'5 s'}",
        "{'strategy':'standard','clampsHints':'true'}",
        "{'strategy':'standard','hedging':{'delay':'1s'}}",
        "{'strategy':'standard','hedging':{'delay':'1s'},'idempotent':false}",
        "{'strategy':'standard','hedging':{'maxHedges':1},'idempotent':true}",
        "{'strategy':'standard','hedging':{'delay':'1s','extra':1},'idempotent':true}",
        "{'strategy':'standard','maxAttempts':1,'hedging':{'delay':'1s'},'idempotent':true}",
        "{'strategy':'standard','backoff':'none'}",
        "{'strategy':'standard','backoff':{'type':'cubic'}}",
        "{'strategy':'standard','backoff':{'delay':'1s'}}",
        "{'strategy':'standard','backoff':{'type':'fixed'}}",
        "{'strategy':'standard','backoff':{'type':'fixed','delay':'1s','base':'1s'}}",
        "{'strategy':'standard','backoff':{'type':'fixed','delay':'1s','retries':1}}",
        "{'strategy':'standard','backoff':{'type':'fixed','delay':'1s','then':{'type':'none'}}}",
        "{'strategy':'standard','backoff':{'type':'exponential','base':'1s'}}",
        "{'strategy':'standard','backoff':{'type':'exponential','base':'1s','cap':'1m',"
            + "'factor':0.9}}",
        "{'strategy':'standard','backoff':{'type':'exponential','base':'1s','cap':'1m',"
            + "'jitter':'decorrelated'}}",
        "{'strategy':'standard','backoff':{'type':'exponential-with-jitter','jitter':'full'}}",
        "{'strategy':'standard','backoff':{'type':'truncated-exponential',"
            + "'maximumBackoff':'32s','atCap':true}}",
        "{'strategy':'standard','throttleBackoff':{'type':'linear','base':'1s','cap':'1m'}}",
        "{'strategy':'standard','budget':'free'}",
        "{'strategy':'standard','budget':{'type':'bucket'}}",
        "{'strategy':'standard','budget':{'type':'ratio','errorTokens':1}}",
        "{'strategy':'standard','budget':{'type':'ratio','retriesPerSecond':10}}",
        "{'strategy':'standard','budget':{'type':'token-bucket','capacityTokens':1000001}}",
        "{'strategy':'standard','budget':{'type':'token-bucket','tokensPerSecond':0.0001}}",
        "{'strategy':'standard','budget':{'type':'token-bucket','maxScopes':-1}}"
      })
  void bothRefuse(String quoted) {
    String json = quoted.replace('\'', '"');

    assertThat(readerAccepts(json)).as("reader").isFalse();
    assertThat(PolicySchema.accepts(json)).as("schema").isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'strategy':'standard','deadline':'0s'}",
        "{'strategy':'standard','deadline':'P999999999D'}",
        "{'strategy':'standard','backoff':{'type':'exponential','base':'2m','cap':'1m'}}",
        "{'strategy':'standard','budget':{'type':'token-bucket','errorTokens':0.0001}}",
        "{'preset':'no-retry','hedging':{'delay':'1s'},'idempotent':true}"
      })
  void readerAloneSeesWhatASchemaCannot(String quoted) {
    String json = quoted.replace('\'', '"');

    assertThat(readerAccepts(json)).isFalse();
    assertThat(PolicySchema.accepts(json)).isTrue();
  }

  @Test
  void schemaNamesEveryPreset() {
    for (String preset : Presets.names()) {
      assertThat(PolicySchema.accepts("\"" + preset + "\"")).as(preset).isTrue();
    }
  }
}
