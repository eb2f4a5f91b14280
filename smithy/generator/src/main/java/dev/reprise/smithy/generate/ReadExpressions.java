package dev.reprise.smithy.generate;

import dev.reprise.smithy.source.JavaType;
import dev.reprise.smithy.source.JavaWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.knowledge.HttpBinding;
import software.amazon.smithy.model.knowledge.HttpBinding.Location;
import software.amazon.smithy.model.knowledge.HttpBindingIndex;
import software.amazon.smithy.model.shapes.ListShape;
import software.amazon.smithy.model.shapes.MapShape;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.traits.MediaTypeTrait;
import software.amazon.smithy.model.traits.TimestampFormatTrait.Format;

/** Writes the expressions that make values of Java of JSON. */
final class ReadExpressions {
  private final Model model;
  private final Protocol protocol;
  private final JavaWriter writer;
  private final JavaTypes types;
  private final HttpBindingIndex bindings;
  private final String className;

  ReadExpressions(
      Model model, Protocol protocol, JavaWriter writer, JavaTypes types, String className) {
    this.model = model;
    this.protocol = protocol;
    this.writer = writer;
    this.types = types;
    this.bindings = HttpBindingIndex.of(model);
    this.className = className;
  }

  /**
   * Returns the expression for the value of a structure's member.
   *
   * @param binding where in the response it is; null for the body
   */
  String member(Member member, @Nullable HttpBinding binding) {
    if (binding == null) {
      return neverNull(member, inBody(member));
    }
    return switch (binding.getLocation()) {
      case HEADER -> neverNull(member, header(binding.getLocationName(), member));
      case PREFIX_HEADERS -> prefixHeaders(binding.getLocationName(), member);
      case PAYLOAD -> neverNull(member, payload(member));
      case RESPONSE_CODE -> made(member, "response.status()");
      default -> neverNull(member, inBody(member));
    };
  }

  private String inBody(Member member) {
    String name = protocol.jsonName(member.shape());
    if (Members.isMessage(member) && name.equalsIgnoreCase(Members.MESSAGE)) {
      return "body.getAnyCase(" + JavaWriter.literal(Members.MESSAGE) + ").string()";
    }
    return value(member.shape(), "body.get(" + JavaWriter.literal(name) + ")", Location.DOCUMENT);
  }

  private String header(String header, Member member) {
    String name = JavaWriter.literal(header);
    if (member.target().isStringShape()
        && member.shape().getMemberTrait(model, MediaTypeTrait.class).isPresent()) {
      // Text that may have any character, such as JSON.
      return "response.header(" + name + ").blobAs(bytes -> " + utf8() + ")";
    }
    if (!(member.target() instanceof ListShape list)) {
      return value(member.shape(), "response.header(" + name + ")", Location.HEADER);
    }
    String reader = reader(list.getMember(), Location.HEADER, 1);
    if (reader.endsWith("::httpDate")) {
      // Each date has a comma of its own.
      return "response.headerDates(" + name + ")";
    }
    return "response.headerList(" + name + ", " + reader + ")";
  }

  private String prefixHeaders(String prefix, Member member) {
    MapShape map = member.target().asMapShape().orElseThrow();
    return JavaWriter.call(
        "response.headersWithPrefix",
        List.of(
            JavaWriter.literal(prefix),
            key(map.getKey()),
            reader(map.getValue(), Location.HEADER, 1)));
  }

  private String payload(Member member) {
    return switch (member.target().getType()) {
      case BLOB -> "response.payloadAs(" + writer.name(RuntimeTypes.BLOB) + "::of)";
      case STRING, ENUM -> "response.payloadAs(bytes -> " + made(member, utf8()) + ")";
      default -> value(member.shape(), "response.body()", Location.PAYLOAD);
    };
  }

  private String utf8() {
    return "new String(bytes, " + writer.name(JavaType.of(StandardCharsets.class)) + ".UTF_8)";
  }

  /** Returns the expression for an enum of a value, and for anything else the value. */
  private String made(Member member, String value) {
    return JavaTypes.isClass(member.target())
        ? "new " + writer.name(member.type()) + "(" + value + ")"
        : value;
  }

  /**
   * Returns an expression that has a default or an empty value if a server left a required one out.
   */
  private String neverNull(Member member, String value) {
    if (!member.required()) {
      return value;
    }
    String otherwise =
        member.preset() == null
            ? DefaultValues.empty(writer, types, member.target())
            : DefaultValues.expression(writer, member, member.preset());
    if (otherwise == null) {
      otherwise =
          HttpErrorsGenerator.readerOf(types.classOf(member.target()))
              + "("
              + writer.name(RuntimeTypes.JSON)
              + ".MISSING)";
    }
    return JavaWriter.call(writer.name(RuntimeTypes.JSON) + ".or", List.of(value, otherwise));
  }

  /**
   * Returns the expression for what a member holds; null if it is absent or of another type.
   *
   * @param json the expression of the {@code JsonValue}
   */
  String value(MemberShape member, String json, Location location) {
    return value(member, json, location, 1);
  }

  private String value(MemberShape member, String json, Location location, int depth) {
    Shape target = types.target(member);
    if (target instanceof ListShape list) {
      String method = JavaTypes.isSparse(target) ? ".sparseList(" : ".list(";
      return json + method + reader(list.getMember(), location, depth) + ")";
    }
    if (target instanceof MapShape map) {
      String method = JavaTypes.isSparse(target) ? ".sparseMap(" : ".map(";
      return json
          + method
          + key(map.getKey())
          + ", "
          + reader(map.getValue(), location, depth)
          + ")";
    }
    return json + "." + simple(member, target, location);
  }

  private String key(MemberShape member) {
    Shape key = types.target(member);
    return JavaTypes.isClass(key) ? writer.name(types.of(key)) + "::new" : "key -> key";
  }

  /** Returns a function from JSON to the value of a list's or map's member. */
  String reader(MemberShape member, Location location, int depth) {
    Shape target = types.target(member);
    String simple =
        JavaTypes.isList(target) || target.isMapShape() ? "" : simple(member, target, location);
    if (simple.endsWith("()")) {
      return writer.name(RuntimeTypes.JSON) + "::" + simple.substring(0, simple.length() - 2);
    }
    String item = depth == 1 ? "item" : "item" + depth;
    return item + " -> " + value(member, item, location, depth + 1);
  }

  private String simple(MemberShape member, Shape target, Location location) {
    return switch (target.getType()) {
      case BOOLEAN -> "bool()";
      case BYTE -> "int8()";
      case SHORT -> "int16()";
      case INTEGER -> "int32()";
      case LONG -> "int64()";
      case FLOAT -> "float32()";
      case DOUBLE -> "float64()";
      case BIG_INTEGER -> "bigInteger()";
      case BIG_DECIMAL -> "bigDecimal()";
      case DOCUMENT -> "json()";
      case BLOB -> "blobAs(" + writer.name(RuntimeTypes.BLOB) + "::of)";
      case TIMESTAMP -> timestamp(member, location);
      case INT_ENUM -> "int32As(" + writer.name(types.of(target)) + "::new)";
      case ENUM ->
          JavaTypes.isClass(target)
              ? "stringAs(" + writer.name(types.of(target)) + "::new)"
              : "string()";
      case STRING -> "string()";
      case STRUCTURE, UNION ->
          "objectAs("
              + className
              + "::"
              + HttpErrorsGenerator.readerOf(types.classOf(target))
              + ")";
      default -> throw new IllegalArgumentException(target.getId() + " holds no value");
    };
  }

  private String timestamp(MemberShape member, Location location) {
    Format usual = location == Location.HEADER ? Format.HTTP_DATE : Format.EPOCH_SECONDS;
    Format format = bindings.determineTimestampFormat(member, location, usual);
    return switch (format) {
      case DATE_TIME -> "dateTime()";
      case HTTP_DATE -> "httpDate()";
      case EPOCH_SECONDS -> "epochSeconds()";
      default ->
          throw new IllegalArgumentException(
              member.getId()
                  + " has the timestamp format "
                  + format.toString().toLowerCase(Locale.ROOT));
    };
  }
}
