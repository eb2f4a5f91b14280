package dev.reprise.smithy.generate;

import dev.reprise.smithy.names.UniqueNames;
import dev.reprise.smithy.source.JavaType;
import dev.reprise.smithy.source.JavaWriter;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import software.amazon.smithy.model.shapes.EnumShape;
import software.amazon.smithy.model.shapes.IntEnumShape;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.traits.SensitiveTrait;

/**
 * Writes the class of an enum. It is an open set: a server may be newer than the client's model.
 */
final class EnumGenerator {
  private final JavaWriter writer;
  private final Shape shape;
  private final String className;
  private final boolean numbers;
  private final Map<String, String> values = new LinkedHashMap<>();

  EnumGenerator(JavaWriter writer, Shape shape, String className) {
    this.writer = writer;
    this.shape = shape;
    this.className = className;
    this.numbers = shape.isIntEnumShape();
    if (shape instanceof EnumShape texts) {
      texts.getEnumValues().forEach((name, value) -> values.put(name, JavaWriter.literal(value)));
    } else if (shape instanceof IntEnumShape integers) {
      integers.getEnumValues().forEach((name, value) -> values.put(name, String.valueOf(value)));
    }
  }

  void write() {
    writer.doc(
        Member.documentation(shape),
        List.of(
            "The enum {@code "
                + shape.getId()
                + "}. A server may send values that no constant stands for. Immutable."),
        List.of("@param value the value as it is sent"));
    writer.openBlock(
        "public record $L($L value) implements $T {",
        "}",
        className,
        numbers ? "int" : "String",
        JavaType.of(Serializable.class),
        this::body);
  }

  private void body() {
    Map<String, String> names = UniqueNames.constants(values.keySet());
    for (Map.Entry<String, MemberShape> member : shape.getAllMembers().entrySet()) {
      String name = Objects.requireNonNull(names.get(member.getKey()));
      String value = Objects.requireNonNull(values.get(member.getKey()));
      writer.doc(
          Member.documentation(member.getValue()),
          List.of("The value {@code " + shown(value) + "}."),
          List.of());
      writer.write("public static final $L $L = new $L($L);", className, name, className, value);
      writer.write("");
    }
    known(List.copyOf(names.values()));
    if (!numbers) {
      writer.doc("", List.of("Checks that there is a value."), List.of());
      writer.openBlock(
          "public $L {",
          "}",
          className,
          () -> writer.write("$T.requireNonNull(value, \"value\");", JavaType.of(Objects.class)));
      writer.write("");
    }
    writer.doc("Returns whether the model knows the value.");
    writer.openBlock(
        "public boolean isKnown() {", "}", () -> writer.write("return KNOWN.contains(this);"));
    writer.write("");
    writer.doc("Returns the values that the model knows, in its order.");
    writer.openBlock(
        "public static $L known() {", "}", listOfThese(), () -> writer.write("return KNOWN;"));
    writer.write("");
    boolean hidden = shape.hasTrait(SensitiveTrait.class);
    writer.doc(
        hidden ? "Returns {@code ***}: the value is secret." : "Returns the value as it is sent.");
    writer.write("@Override");
    writer.openBlock(
        "public String toString() {",
        "}",
        () ->
            writer.write(
                "return $L;", hidden ? "\"***\"" : numbers ? "String.valueOf(value)" : "value"));
  }

  private void known(List<String> names) {
    writer.write(
        "private static final $L KNOWN = $L;",
        listOfThese(),
        JavaWriter.call(writer.name(JavaType.of(List.class)) + ".of", names));
    writer.write("");
  }

  private String listOfThese() {
    return writer.name(JavaType.of(List.class)) + "<" + className + ">";
  }

  /** An enum's value may be any text; in a comment it is shown as far as that is harmless. */
  private static String shown(String literal) {
    return literal.replaceAll("[^A-Za-z0-9_.:/ -]", "");
  }
}
