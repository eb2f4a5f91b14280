package dev.reprise.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The published schema and the reader say the same of what a schema can judge. */
class ScenarioSchemaAgreementTest {
  private static boolean readerAccepts(String json) {
    Failure.Trace trace = new Failure.Trace(List.of());
    try {
      ScenarioDocuments.read(json, (file, endpoint) -> trace);
      return true;
    } catch (ScenarioException e) {
      return false;
    }
  }

  /** Puts a fleet, with further fields of the scenario after it, into a whole document. */
  private static String whole(String quoted) {
    return quoted.startsWith("{")
        ? quoted.replace('\'', '"')
        : ("{'name':'a','policies':{'p':'no-retry'}," + quoted + "}").replace('\'', '"');
  }

  private static String fleet(String fields) {
    return "'fleet':{'devices':1,'quota':'1/s'" + fields + "}";
  }

  private static String calls(String fields) {
    return "'calls':{'clients':{'load':'1/s'},'service':{'time':'1ms'},'duration':'1s'"
        + fields
        + "}";
  }

  static List<String> accepted() {
    return List.of(
        fleet(""),
        fleet("") + ",'seed':-9223372036854775808,'runs':10000,'description':'é'",
        fleet("") + ",'policies':{'full jitter':'azure-iot','b':{'strategy':'standard'}}",
        fleet(",'spread':'0s','perDeviceInterval':'0.5ms','horizon':'PT2H'"),
        fleet(",'hint':{'type':'none'},'failures':[]"),
        fleet(",'hint':{'type':'fixed','delay':'0s'}"),
        fleet(",'hint':{'type':'uniform','highest':'1.5h'}"),
        fleet(",'hint':{'type':'slots'}"),
        fleet(",'overactive':{'share':0.5,'interval':'1s'}"),
        fleet(",'overactive':{'share':1}"),
        fleet(",'minority':{'share':0,'policy':'azure-iot'}"),
        fleet(",'costs':{}"),
        fleet(",'costs':{'bytesPerAttempt':9,'workPerSuccess':'5ms','pricePerMillion':0.5}"),
        fleet(
            ",'failures':[{'type':'outage','to':'60s'},{'type':'outage','to':'1s','zone':'3/3'}]"),
        fleet(",'failures':[{'type':'brown-out','from':'1s','to':'2s','capacity':0}]"),
        fleet(",'failures':[{'type':'random','probability':1}]"),
        fleet(",'failures':[{'type':'bursts','good':'1m','bad':'1s'}]"),
        fleet(",'failures':[{'type':'trace','file':'a.csv','endpoint':'x'}]"),
        fleet(",'failures':[{'type':'trace','intervals':[]}]"),
        fleet(",'failures':[{'type':'trace','intervals':[{'to':'1s','probability':0.5}]}]"),
        "'fleet':{'devices':200000000,'quota':{'rate':'30/min'}}",
        "'fleet':{'devices':1,'quota':{'rate':'0.5/h','burst':'0s','rejectionCost':0.1}}",
        "'fleet':{'devices':1,'quota':{'rate':'1E-3/s','handshake':{'work':'5ms'}}}",
        "'fleet':{'devices':1,'quota':{'rate':'1/s','handshake':{'work':'5ms','steady':'0.5ms',"
            + "'admission':'before'}}}",
        calls(""),
        calls(",'hop':'10ms','warmUp':'0.5s','failures':[{'type':'random','probability':0.1}]"),
        calls(",'layers':[{'name':'a'},{'name':'b','policy':'no-retry','timeout':'1s'}]"),
        "'calls':{'clients':{'count':1000000,'sharedBudget':true,'timeout':'1s','load':{'type':"
            + "'open','steps':[{'rate':'0/s'},{'from':'1s','rate':'5/s'}]}},'service':{'servers':0,"
            + "'time':{'mean':'1ms','perRequest':'0s','shape':'fixed'},'queue':{'order':'lifo',"
            + "'bound':0,'dropsExpired':true},'quota':'5/s','hint':{'type':'slots'}},"
            + "'duration':'1s'}",
        "'calls':{'clients':{'load':{'type':'closed'}},'service':{'time':'1ms','queue':{'bound':"
            + "'unlimited'}},'duration':'1s'}",
        "'contention':{'clients':1}",
        "'contention':{'clients':1,'hopMean':'1ms','hopDeviation':'0s'}",
        fleet("") + ",'sweep':{'field':'fleet.quota','values':['1/s']}",
        fleet("") + ",'sweep':{'field':'policies.p','values':['azure-iot','no-retry']}");
  }

  @ParameterizedTest
  @MethodSource("accepted")
  void bothAccept(String quoted) {
    String json = duplicateFree(whole(quoted));

    assertThat(readerAccepts(json)).as("reader on %s", json).isTrue();
    assertThat(ScenarioSchema.accepts(json)).as("schema on %s", json).isTrue();
  }

  /** A case that brings its own policies takes the place of the usual ones. */
  private static String duplicateFree(String json) {
    return json.indexOf("\"policies\"") == json.lastIndexOf("\"policies\"")
        ? json
        : json.replaceFirst("\"policies\":\\{\"p\":\"no-retry\"},", "");
  }

  static List<String> refused() {
    return List.of(
        "{}",
        "'extra':1," + fleet(""),
        "'seed':1",
        fleet("") + "," + calls(""),
        fleet("") + ",'contention':{'clients':1}",
        fleet("") + ",'seed':0.5",
        fleet("") + ",'seed':9223372036854775808",
        fleet("") + ",'seed':'1'",
        fleet("") + ",'runs':0",
        fleet("") + ",'runs':10001",
        fleet("") + ",'description':5",
        fleet("") + ",'policies':{}",
        fleet("") + ",'policies':[]",
        fleet("") + ",'policies':{'a.b':'no-retry'}",
        fleet("") + ",'policies':{'a[0]':'no-retry'}",
        fleet("") + ",'policies':{'':'no-retry'}",
        fleet("") + ",'policies':{'a':'nobody'}",
        fleet("") + ",'policies':{'a':{'strategy':'standard','extra':1}}",
        "{'name':'A','policies':{'p':'no-retry'}," + fleet("") + "}",
        "{'name':'a b','policies':{'p':'no-retry'}," + fleet("") + "}",
        "{'name':'a-','policies':{'p':'no-retry'}," + fleet("") + "}",
        "{'name':7,'policies':{'p':'no-retry'}," + fleet("") + "}",
        "{'policies':{'p':'no-retry'}," + fleet("") + "}",
        "{'name':'a'," + fleet("") + "}",
        "'fleet':[]",
        "'fleet':{'quota':'1/s'}",
        "'fleet':{'devices':1}",
        "'fleet':{'devices':0,'quota':'1/s'}",
        "'fleet':{'devices':200000001,'quota':'1/s'}",
        "'fleet':{'devices':'1','quota':'1/s'}",
        "'fleet':{'devices':1,'quota':1}",
        "'fleet':{'devices':1,'quota':'1'}",
        "'fleet':{'devices':1,'quota':'1/d'}",
        "'fleet':{'devices':1,'quota':'-1/s'}",
        "'fleet':{'devices':1,'quota':{}}",
        "'fleet':{'devices':1,'quota':{'rate':5}}",
        "'fleet':{'devices':1,'quota':{'rate':'1/s','rejectionCost':1.1}}",
        "'fleet':{'devices':1,'quota':{'rate':'1/s','extra':1}}",
        "'fleet':{'devices':1,'quota':{'rate':'1/s','rejectionCost':0,'handshake':{'work':'1s'}}}",
        "'fleet':{'devices':1,'quota':{'rate':'1/s','handshake':{'steady':'1s'}}}",
        "'fleet':{'devices':1,'quota':{'rate':'1/s','handshake':{'work':'1s','admission':'x'}}}",
        fleet(",'spread':5"),
        fleet(",'spread':'5'"),
        fleet(",'spread':'5 s'"),
        fleet(",'spread':null"),
        fleet(",'hint':'slots'"),
        fleet(",'hint':{'type':'slot'}"),
        fleet(",'hint':{'type':'slots','delay':'1s'}"),
        fleet(",'hint':{'type':'fixed'}"),
        fleet(",'hint':{'type':'uniform','lowest':'1s'}"),
        fleet(",'overactive':{}"),
        fleet(",'overactive':{'share':-0.1}"),
        fleet(",'minority':{'share':0.1}"),
        fleet(",'minority':{'policy':'no-retry'}"),
        fleet(",'costs':{'bytesPerAttempt':-1}"),
        fleet(",'costs':{'pricePerMillion':1000000001}"),
        fleet(",'failures':{}"),
        fleet(",'failures':[{}]"),
        fleet(",'failures':['outage']"),
        fleet(",'failures':[{'type':'earthquake'}]"),
        fleet(",'failures':[{'type':'outage'}]"),
        fleet(",'failures':[{'type':'outage','to':'1s','zone':'0/3'}]"),
        fleet(",'failures':[{'type':'outage','to':'1s','zone':1}]"),
        fleet(",'failures':[{'type':'outage','to':'1s','probability':1}]"),
        fleet(",'failures':[{'type':'brown-out','to':'1s'}]"),
        fleet(",'failures':[{'type':'brown-out','to':'1s','capacity':2}]"),
        fleet(",'failures':[{'type':'random'}]"),
        fleet(",'failures':[{'type':'bursts','good':'1s'}]"),
        fleet(",'failures':[{'type':'trace'}]"),
        fleet(",'failures':[{'type':'trace','file':''}]"),
        fleet(",'failures':[{'type':'trace','file':'a','intervals':[]}]"),
        fleet(",'failures':[{'type':'trace','intervals':[],'endpoint':'x'}]"),
        fleet(",'failures':[{'type':'trace','intervals':{}}]"),
        fleet(",'failures':[{'type':'trace','intervals':[{'from':'1s'}]}]"),
        calls(",'layers':[{'policy':'no-retry'}]"),
        calls(",'layers':{}"),
        calls(",'layers':[{'name':''}]"),
        "'calls':{'service':{'time':'1ms'},'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s'},'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s'},'service':{'time':'1ms'}}",
        "'calls':{'clients':{},'service':{'time':'1ms'},'duration':'1s'}",
        "'calls':{'clients':{'load':{'type':'open','steps':[]}},'service':{'time':'1ms'},"
            + "'duration':'1s'}",
        "'calls':{'clients':{'load':{'type':'open','steps':[{'rate':'1/s'},{'rate':'1/s'}]}},"
            + "'service':{'time':'1ms'},'duration':'1s'}",
        "'calls':{'clients':{'load':{'type':'closed','steps':[]}},'service':{'time':'1ms'},"
            + "'duration':'1s'}",
        "'calls':{'clients':{'load':{}},'service':{'time':'1ms'},'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s','count':0},'service':{'time':'1ms'},'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s'},'service':{},'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s'},'service':{'time':{}},'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s'},'service':{'time':1},'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s'},'service':{'time':'1s','servers':-1},'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s'},'service':{'time':'1s','queue':{'order':'random'}},"
            + "'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s'},'service':{'time':'1s','queue':{'bound':2147483647}},"
            + "'duration':'1s'}",
        "'calls':{'clients':{'load':'1/s'},'service':{'time':'1s','queue':{'bound':'none'}},"
            + "'duration':'1s'}",
        "'contention':{}",
        "'contention':{'clients':1,'hops':2}",
        fleet("") + ",'sweep':{'field':'fleet.spread'}",
        fleet("") + ",'sweep':{'field':'fleet.spread','values':[]}",
        fleet("") + ",'sweep':{'field':'seed','values':[1]}",
        fleet("") + ",'sweep':{'field':'fleet','values':[1]}",
        fleet("") + ",'sweep':{'field':'fleet..spread','values':['1s']}",
        fleet("") + ",'sweep':[]");
  }

  @ParameterizedTest
  @MethodSource("refused")
  void bothRefuse(String quoted) {
    String json = duplicateFree(whole(quoted));

    assertThat(readerAccepts(json)).as("reader on %s", json).isFalse();
    assertThat(ScenarioSchema.accepts(json)).as("schema on %s", json).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "17", "null", "true", "\"herd-after-outage\""})
  void bothRefuseWhatIsNoObject(String json) {
    assertThat(readerAccepts(json)).isFalse();
    assertThat(ScenarioSchema.accepts(json)).isFalse();
  }

  static List<String> beyondSchemas() {
    return List.of(
        fleet(",'horizon':'0s'"),
        fleet(",'spread':'366h','horizon':'9000h'"),
        fleet(",'spread':'-PT1S'").replace("-PT", "PT-"),
        "'fleet':{'devices':1,'quota':'0/s'}",
        "'fleet':{'devices':1,'quota':'2000000000/s'}",
        fleet(",'hint':{'type':'uniform','lowest':'2s','highest':'1s'}"),
        fleet(",'failures':[{'type':'outage','from':'2s','to':'1s'}]"),
        fleet(",'failures':[{'type':'outage','to':'1s','zone':'4/3'}]"),
        fleet(",'failures':[{'type':'trace','intervals':[{'to':'2s'},{'from':'1s','to':'3s'}]}]"),
        calls(",'warmUp':'2s'"),
        fleet("") + ",'sweep':{'field':'fleet.quota.rate','values':['1/s']}",
        fleet("") + ",'sweep':{'field':'fleet.failures[0].to','values':['1s']}");
  }

  @ParameterizedTest
  @MethodSource("beyondSchemas")
  void readerAloneSeesWhatASchemaCannot(String quoted) {
    String json = whole(quoted);

    assertThat(readerAccepts(json)).as("reader on %s", json).isFalse();
    assertThat(ScenarioSchema.accepts(json)).as("schema on %s", json).isTrue();
  }
}
