package dev.reprise.smithy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.statistics.Statistics;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.ServiceShape;
import software.amazon.smithy.model.shapes.ShapeId;
import software.amazon.smithy.model.shapes.StructureShape;
import software.amazon.smithy.model.traits.ErrorTrait;
import software.amazon.smithy.model.traits.JsonNameTrait;

/** Responses that no service should send, read with what is generated. */
@Tag("slow")
class AnyResponseTest {
  private static final String SEED = "20260131";
  private static final String SECRET = "hunter2";

  private static Path folder;
  private static List<Service> services;
  private static Service sensitive;

  /** What is generated of one model, with the names that its responses may have. */
  private record Service(
      CompiledErrors errors, String companion, List<String> codes, List<String> members) {
    RuntimeException read(int status, Map<String, List<String>> headers, byte[] body) {
      return errors.read(companion, status, headers, body);
    }
  }

  @BeforeContainer
  static void compile() throws IOException {
    folder = Files.createTempDirectory("errors");
    services =
        Stream.of("rest-json", "aws-json", "recursive", "unions")
            .map(name -> service(name, CompiledErrors.model("golden/" + name)))
            .toList();
    Model secrets = CompiledErrors.model("golden/sensitive");
    ServiceShape.Builder service =
        ServiceShape.builder().id("example.sensitive#Sensitive").version("1");
    secrets.getStructureShapesWithTrait(ErrorTrait.class).forEach(service::addError);
    sensitive = service("sensitive", secrets.toBuilder().addShape(service.build()).build());
  }

  private static Service service(String name, Model model) {
    String companion =
        model.shapes(ServiceShape.class).findAny().orElseThrow().getId().getName().replace("_", "");
    String own = model.shapes(ServiceShape.class).findAny().orElseThrow().getId().getNamespace();
    return new Service(
        CompiledErrors.of(model, RetryErrorsSettings.defaults(), folder.resolve(name)),
        companion + "HttpErrors",
        model.getStructureShapesWithTrait(ErrorTrait.class).stream()
            .map(StructureShape::getId)
            .map(ShapeId::getName)
            .sorted()
            .toList(),
        model
            .shapes(MemberShape.class)
            .filter(member -> member.getId().getNamespace().equals(own))
            .flatMap(AnyResponseTest::namesOf)
            .distinct()
            .sorted()
            .toList());
  }

  private static Stream<String> namesOf(MemberShape member) {
    return Stream.concat(
        Stream.of(member.getMemberName()),
        member.getTrait(JsonNameTrait.class).map(JsonNameTrait::getValue).stream());
  }

  @AfterContainer
  static void delete() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Property(tries = 3_000, seed = SEED)
  void readNeverFailsAndTellsTheStatus(
      @ForAll("services") Service service, @ForAll("statuses") int status, @ForAll long random) {
    Garbage garbage = new Garbage(new Random(random), service);
    Map<String, List<String>> headers = garbage.headers();
    byte[] body = garbage.body();

    RuntimeException error = service.read(status, headers, body);

    assertThat(CompiledErrors.value(error, "httpStatus")).isEqualTo(status);
    assertThat(((ErrorInfo) error).fault()).isNotNull();
    assertThat(((RetryInfo) error).isRetrySafe()).isNotNull();
    assertThat(error.toString()).isNotNull();
    boolean modelled = !error.getClass().getSimpleName().equals("UnmodeledHttpError");
    Statistics.label("modelled")
        .collect(modelled)
        .coverage(seen -> seen.check(true).percentage(share -> share > 40 && share < 90));
    if (!modelled) {
      assertThat(error.getMessage()).startsWith("HTTP " + status).doesNotContain(Garbage.MARK);
    }
  }

  @Property(tries = 500, seed = SEED)
  void aSecretIsInNoMessage(@ForAll("statuses") int status, @ForAll long random) {
    Random chance = new Random(random);
    String code = sensitive.codes().get(chance.nextInt(sensitive.codes().size()));
    String body = secretBody(code, chance);

    RuntimeException error =
        sensitive.read(status, Map.of(), body.getBytes(StandardCharsets.UTF_8));

    assertThat(error.getClass().getSimpleName()).isEqualTo(code);
    assertThat(error.toString()).doesNotContain(SECRET);
    assertThat(String.valueOf(error.getMessage())).doesNotContain(SECRET);
    for (String accessor : List.of("account", "whole", "proof")) {
      if (code.equals("SecretMessage")) {
        assertThat(String.valueOf(CompiledErrors.value(error, accessor)))
            .as(body)
            .doesNotContain(SECRET)
            .doesNotContain("90210");
      }
    }
  }

  /** Every member that is secret has the secret, in all forms that the model allows. */
  private static String secretBody(String code, Random chance) {
    String secret = "\"" + SECRET + "\"";
    String proof =
        List.of("{\"password\":" + secret + "}", "{\"pin\":90210}", "{\"open\":\"yes\"}")
            .get(chance.nextInt(3));
    return """
    {"__type": "%s", "message": %s, "secrets": [%s], "whole": {"left": %s, "right": 90210},
     "proof": %s,
     "account": {"name": "me", "password": %s, "pin": 90210, "old": [%s, %s],
                 "byName": {"first": %s}}}
    """
        .formatted(code, secret, secret, secret, proof, secret, secret, secret, secret);
  }

  @Provide
  Arbitrary<Service> services() {
    return Arbitraries.of(services);
  }

  @Provide
  Arbitrary<Integer> statuses() {
    return Arbitraries.oneOf(
        Arbitraries.integers().between(300, 599),
        Arbitraries.of(100, 199, 300, 400, 404, 410, 415, 422, 429, 500, 503, 999),
        Arbitraries.integers().filter(status -> status < 200 || status > 299));
  }

  /** Headers and bodies with the right names and any values, and some that are nearly JSON. */
  private static final class Garbage {
    static final String MARK = "\u2603";

    private static final List<String> HEADERS =
        List.of(
            "X-Amzn-Errortype",
            "x-amzn-errortype",
            "Retry-After",
            "x-amz-retry-after",
            "Date",
            "X-Book-Id",
            "X-Near",
            "X-Counts",
            "X-Final",
            "X-Meta-",
            "x-meta-a");
    private static final List<String> TEXTS =
        List.of(
            "",
            " ",
            MARK,
            "true",
            "-1",
            "1e999999999",
            "99999999999999999999",
            "\"a, \\\"b\", c",
            "\"open",
            ",,,",
            "Fri, 31 Dec 9999 23:59:59 GMT",
            "NaN",
            "red",
            "a#b:c",
            "\ud800");
    private static final List<String> SCALARS =
        List.of(
            "null",
            "true",
            "false",
            "0",
            "-0.0",
            "5e0",
            "1e999999999",
            "-1e-999999999",
            "9".repeat(5_000),
            "1.5",
            "\"\"",
            "\"" + MARK + "\"",
            "\"\\ud800\"",
            "\"AQI=\"",
            "\"NaN\"",
            "[]",
            "{}",
            "nul",
            "\"open");

    private final Random chance;
    private final Service service;

    Garbage(Random chance, Service service) {
      this.chance = chance;
      this.service = service;
    }

    Map<String, List<String>> headers() {
      // The JDK's own client and others have a null name for the status line.
      Map<String, List<String>> headers = new HashMap<>();
      for (int i = chance.nextInt(4); i > 0; i--) {
        headers.put(chance.nextInt(10) == 0 ? null : any(HEADERS), values());
      }
      if (chance.nextInt(4) == 0) {
        headers.put("X-Amzn-Errortype", List.of(any(service.codes())));
      }
      return headers;
    }

    private List<String> values() {
      if (chance.nextInt(10) == 0) {
        return null;
      }
      List<String> values = new ArrayList<>();
      for (int i = chance.nextInt(3); i > 0; i--) {
        values.add(chance.nextInt(10) == 0 ? null : any(TEXTS));
      }
      return values;
    }

    byte[] body() {
      return switch (chance.nextInt(8)) {
        case 0 -> deep();
        case 1 -> noise();
        case 2 -> mutated(json());
        case 3 -> null;
        default -> json();
      };
    }

    private byte[] deep() {
      String open =
          any(List.of("[", "{\"not\":", "{\"tree\":{\"left\":", "{\"M\":", "{\"inside\":"));
      return ("{\"__type\":\""
              + any(service.codes())
              + "\",\""
              + any(service.members())
              + "\":"
              + open.repeat(chance.nextInt(20_000)))
          .getBytes(StandardCharsets.UTF_8);
    }

    private byte[] noise() {
      byte[] bytes = new byte[chance.nextInt(200)];
      chance.nextBytes(bytes);
      return bytes;
    }

    private byte[] mutated(byte[] json) {
      byte[] changed = Arrays.copyOf(json, json.length - chance.nextInt(Math.min(json.length, 5)));
      for (int i = chance.nextInt(4); i > 0 && changed.length > 0; i--) {
        changed[chance.nextInt(changed.length)] = (byte) chance.nextInt(256);
      }
      return changed;
    }

    private byte[] json() {
      StringBuilder json = new StringBuilder("{");
      if (chance.nextInt(5) > 0) {
        json.append(chance.nextBoolean() ? "\"__type\"" : "\"code\"");
        json.append(":\"").append(any(service.codes())).append("\",");
      }
      members(json, 0);
      return json.append("\"end\":0}").toString().getBytes(StandardCharsets.UTF_8);
    }

    private void members(StringBuilder json, int depth) {
      for (int i = chance.nextInt(5); i > 0; i--) {
        json.append('"').append(any(service.members())).append("\":");
        value(json, depth + 1);
        json.append(',');
      }
    }

    private void value(StringBuilder json, int depth) {
      switch (depth > 6 ? 0 : chance.nextInt(4)) {
        case 0 ->
            json.append(
                chance.nextInt(40) == 0
                    ? any(SCALARS)
                    : any(SCALARS.subList(0, SCALARS.size() - 2)));
        case 1 -> {
          json.append('[');
          value(json, depth + 1);
          json.append(',');
          value(json, depth + 1);
          json.append(']');
        }
        default -> {
          json.append('{');
          members(json, depth);
          json.append("\"end\":");
          value(json, depth + 1);
          json.append('}');
        }
      }
    }

    private <T> T any(List<T> of) {
      return of.get(chance.nextInt(of.size()));
    }
  }
}
