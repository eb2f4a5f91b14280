package dev.reprise.server.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Schemas follow from records, and from what is said about their components. */
class SchemaTest {
  @Described(name = "Whole", value = "A whole.")
  record Whole(
      String text,
      @Described("How many.") int count,
      long total,
      double part,
      boolean flag,
      JsonNode any,
      @JsonInclude(JsonInclude.Include.NON_NULL) Long absent,
      @Described(orNull = true) Double nothing,
      @Described(kind = Kind.TIME, orNull = true) String at,
      @Described(oneOf = "a, b") String letter,
      @Described(oneOf = "a, b") List<String> letters,
      @Described(oneOf = "a, b") Map<String, Integer> byLetter,
      @Described(signed = true) long difference,
      List<Inner> inners,
      @JsonUnwrapped Inner inner) {}

  record Inner(String name) {}

  record Wrong(Duration duration) {}

  @Described(name = "Node")
  record Loop(@Described(orNull = true) Loop next) {}

  private static void assertSchema(Schema schema, String expected, String named) {
    Components all = new Components();
    JsonNode json = schema.in(all);
    assertThat(read(json.toString())).isEqualTo(read(expected));
    assertThat(read(all.toJson().toString())).isEqualTo(read(named));
  }

  private static JsonNode read(String json) {
    return JsonMapper.shared().readTree(json.replace('\'', '"'));
  }

  @Test
  void componentsAreFields() {
    Components all = new Components();
    assertThat(Schema.of(Whole.class).in(all))
        .hasToString("{\"$ref\":\"#/components/schemas/Whole\"}");
    String inner =
        "{'type':'object','properties':{'name':{'type':'string'}},'required':['name'],"
            + "'additionalProperties':false}";
    String whole =
        "{'type':'object','description':'A whole.','additionalProperties':false,'required':"
            + "['text','count','total','part','flag','any','nothing','at','letter','letters',"
            + "'byLetter','difference','inners','name'],'properties':{"
            + "'text':{'type':'string'},"
            + "'count':{'type':'integer','minimum':0,'description':'How many.'},"
            + "'total':{'type':'integer','format':'int64','minimum':0},"
            + "'part':{'type':'number','format':'double','minimum':0},"
            + "'flag':{'type':'boolean'},'any':{},"
            + "'absent':{'type':'integer','format':'int64','minimum':0},"
            + "'nothing':{'type':['number','null'],'format':'double','minimum':0},"
            + "'at':{'anyOf':[{'$ref':'#/components/schemas/Time'},{'type':'null'}]},"
            + "'letter':{'type':'string','enum':['a','b']},"
            + "'letters':{'type':'array','items':{'type':'string','enum':['a','b']}},"
            + "'byLetter':{'type':'object','additionalProperties':{'type':'integer','minimum':0},"
            + "'propertyNames':{'enum':['a','b']}},"
            + "'difference':{'type':'integer','format':'int64'},"
            + "'inners':{'type':'array','items':"
            + inner
            + "},'name':{'type':'string'}}}";
    assertThat(read(all.toJson().get("Whole").toString())).isEqualTo(read(whole));
    assertThat(all.toJson().propertyNames()).containsExactly("Time", "Whole");
  }

  @Test
  void recordMayReferToItself() {
    String reference = "{'$ref':'#/components/schemas/Node'}";
    assertSchema(
        Schema.of(Loop.class),
        reference,
        "{'Node':{'type':'object','properties':{'next':{'anyOf':["
            + reference
            + ",{'type':'null'}]}},'required':['next'],'additionalProperties':false}}");
  }

  @Test
  void typeWithoutASchemaIsNamed() {
    assertThatThrownBy(() -> Schema.of(Wrong.class).in(new Components()))
        .hasMessageContaining("Wrong.duration has the type class java.time.Duration");
  }

  @Test
  void nullIsOneOfTheValues() {
    assertSchema(Schema.TEXT.orNull(), "{'type':['string','null']}", "{}");
    assertSchema(Schema.oneOf("a").orNull(), "{'type':['string','null'],'enum':['a',null]}", "{}");
    assertSchema(Schema.ANY.orNull(), "{}", "{}");
  }

  @Test
  void schemaIsNotChangedByOneMadeOfIt() {
    Schema text = Schema.text(5);
    text.orNull().described("Other.").with("minLength", "x");
    assertSchema(text, "{'type':'string','maxLength':5}", "{}");
  }
}
