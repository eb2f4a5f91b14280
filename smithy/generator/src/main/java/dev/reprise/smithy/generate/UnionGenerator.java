package dev.reprise.smithy.generate;

import dev.reprise.smithy.names.UniqueNames;
import dev.reprise.smithy.source.JavaType;
import dev.reprise.smithy.source.JavaWriter;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.shapes.UnionShape;
import software.amazon.smithy.model.traits.SensitiveTrait;
import software.amazon.smithy.model.traits.UnitTypeTrait;

/** Writes the sealed interface of a union, with a record for each member. */
final class UnionGenerator {
  static final String UNKNOWN = "UnknownMember";

  private final JavaWriter writer;
  private final UnionShape union;
  private final String className;
  private final JavaTypes types;
  private final Members members;
  private final Map<String, String> variants;

  UnionGenerator(
      JavaWriter writer, UnionShape union, String className, JavaTypes types, Members members) {
    this.writer = writer;
    this.union = union;
    this.className = className;
    this.types = types;
    this.members = members;
    this.variants = UniqueNames.variants(union.getMemberNames(), className);
  }

  /** Returns whether the member has a name only, and no value. */
  static boolean isUnit(MemberShape member) {
    return member.getTarget().equals(UnitTypeTrait.UNIT);
  }

  void write() {
    writer.doc(
        Member.documentation(union),
        List.of("The union {@code " + union.getId() + "}: one of the records below. Immutable."),
        List.of());
    writer.openBlock(
        "public sealed interface $L extends $T {",
        "}",
        className,
        JavaType.of(Serializable.class),
        this::body);
  }

  private void body() {
    for (MemberShape member : union.members()) {
      variant(member);
      writer.write("");
    }
    unknown();
  }

  private void variant(MemberShape member) {
    String variant = Objects.requireNonNull(variants.get(member.getMemberName()));
    String what = "The member {@code " + member.getMemberName() + "}.";
    if (isUnit(member)) {
      writer.doc(Member.documentation(member), List.of(what), List.of());
      writer.write("record $L() implements $L {}", variant, className);
      return;
    }
    Shape target = types.target(member);
    JavaType type = types.of(target);
    boolean hidden = union.hasTrait(SensitiveTrait.class) || members.isSensitive(member);
    writer.doc(
        Member.documentation(member), List.of(what), List.of("@param value the member's value"));
    if (type.isPrimitive() && !hidden) {
      writer.write("record $L($T value) implements $L {}", variant, type, className);
      return;
    }
    writer.openBlock(
        "record $L($T value) implements $L {",
        "}",
        variant,
        type,
        className,
        () -> {
          if (!type.isPrimitive()) {
            checked(variant, target);
          }
          if (hidden) {
            if (!type.isPrimitive()) {
              writer.write("");
            }
            hiddenText(variant + "[value=***]");
          }
        });
  }

  private void checked(String variant, Shape target) {
    writer.doc("Checks that there is a value.");
    writer.openBlock(
        "public $L {",
        "}",
        variant,
        () -> {
          if (JavaTypes.isList(target) || target.isMapShape()) {
            writer.write("value = $L;", BuilderWriter.copied(writer, target, "value"));
          } else {
            writer.write("$T.requireNonNull(value, \"value\");", JavaType.of(Objects.class));
          }
        });
  }

  private void hiddenText(String text) {
    writer.write("@Override");
    writer.openBlock("public String toString() {", "}", () -> writer.write("return $S;", text));
  }

  private void unknown() {
    writer.doc(
        "",
        List.of("A member that is newer than the model this was generated from."),
        List.of("@param tag its name; empty when none was sent"));
    writer.openBlock(
        "record $L(String tag) implements $L {",
        "}",
        UNKNOWN,
        className,
        () -> {
          writer.doc("Checks that there is a name.");
          writer.openBlock(
              "public $L {",
              "}",
              UNKNOWN,
              () -> writer.write("$T.requireNonNull(tag, \"tag\");", JavaType.of(Objects.class)));
          if (union.hasTrait(SensitiveTrait.class)) {
            writer.write("");
            hiddenText(UNKNOWN + "[tag=***]");
          }
        });
  }

  /** Returns the names of the records, which mean something else inside this class. */
  static Set<String> nestedNames(UnionShape union, String className) {
    Set<String> names =
        new TreeSet<>(UniqueNames.variants(union.getMemberNames(), className).values());
    names.add(UNKNOWN);
    return names;
  }
}
