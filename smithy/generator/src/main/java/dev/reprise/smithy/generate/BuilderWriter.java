package dev.reprise.smithy.generate;

import dev.reprise.smithy.source.JavaType;
import dev.reprise.smithy.source.JavaWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.node.Node;
import software.amazon.smithy.model.shapes.Shape;

/**
 * Writes what the classes of errors and of structures have in common: fields, accessors, a builder.
 */
final class BuilderWriter {
  /** The class that is nested in every error and structure. */
  static final String BUILDER = "Builder";

  private final JavaWriter writer;
  private final String className;
  private final List<Member> members;

  BuilderWriter(JavaWriter writer, String className, List<Member> members) {
    this.writer = writer;
    this.className = className;
    this.members = members;
  }

  /** Keeps javac from warning of lists and maps, which it does not know to be serializable. */
  void suppressions() {
    if (members.stream().anyMatch(Member::isCollection)) {
      writer.write("@SuppressWarnings(\"serial\") // The lists and maps here are serializable.");
    }
  }

  /** Writes the field of each member. */
  void fields() {
    for (Member member : members) {
      writer.write("private final $T $L;", member.type(), member.name());
    }
  }

  /** Writes the lines of the constructor that take a member's value over from the builder. */
  void takeOver() {
    for (Member member : members) {
      if (member.isCollection()) {
        writer.write("$L;", checked(member));
        writer.write(
            "this.$L = $L;",
            member.name(),
            copied(writer, member.target(), "builder." + member.name()));
      } else {
        writer.write("this.$L = $L;", member.name(), taken(member));
      }
    }
  }

  /** Returns the value that the builder holds, checked; that of a list or map is still shared. */
  String taken(Member member) {
    boolean checked =
        member.required() && !(member.type().isPrimitive() && member.preset() != null);
    return checked ? checked(member) : "builder." + member.name();
  }

  private String checked(Member member) {
    return JavaWriter.call(
        writer.name(JavaType.of(Objects.class)) + ".requireNonNull",
        List.of(
            "builder." + member.name(),
            JavaWriter.literal(className + "." + member.name() + " is required")));
  }

  /** Returns an expression for an unmodifiable copy of a list or map. */
  static String copied(JavaWriter writer, Shape collection, String value) {
    if (collection.isMapShape()) {
      // Map.copyOf would lose the order, and refuse the nulls of a sparse map.
      return String.format(
          Locale.ROOT,
          "%s.unmodifiableMap(new %s<>(%s))",
          writer.name(JavaType.of(Collections.class)),
          writer.name(JavaType.of(LinkedHashMap.class)),
          value);
    }
    if (JavaTypes.isSparse(collection)) {
      return String.format(
          Locale.ROOT,
          "%s.unmodifiableList(new %s<>(%s))",
          writer.name(JavaType.of(Collections.class)),
          writer.name(JavaType.of(ArrayList.class)),
          value);
    }
    return writer.name(JavaType.of(List.class)) + ".copyOf(" + value + ")";
  }

  /** Writes the accessor of a member. */
  void accessor(Member member, String value) {
    String words = member.documentation();
    String what = what(member);
    writer.write("");
    if (words.isEmpty()) {
      writer.doc("Returns " + what + ".");
    } else {
      writer.doc(words, List.of(), List.of("@return " + what));
    }
    writer.openBlock(
        "public $T $L() {",
        "}",
        member.type(),
        member.name(),
        () -> writer.write("return $L;", value));
  }

  private static String what(Member member) {
    String what = modelled(member);
    if (member.isCollection()) {
      return what + "; empty if there is none";
    }
    return member.required() ? what : what + ", or null if there is none";
  }

  private static String modelled(Member member) {
    return "the model's {@code " + member.shape().getMemberName() + "}";
  }

  /** Writes the static method that starts a builder. */
  void start() {
    writer.write("");
    writer.doc("Returns a builder on which nothing is set.");
    writer.openBlock(
        "public static Builder builder() {", "}", () -> writer.write("return new Builder();"));
  }

  /**
   * Writes the builder.
   *
   * @param more writes the fields that are no members; or null
   * @param moreSetters writes the setters that are no members'; or null
   */
  void builder(@Nullable Runnable more, @Nullable Runnable moreSetters) {
    writer.write("");
    writer.doc("Builds a {@code " + className + "}. Not thread-safe.");
    writer.openBlock(
        "public static final class Builder {",
        "}",
        () -> {
          members.forEach(this::builderField);
          if (more != null) {
            more.run();
          }
          if (!members.isEmpty() || more != null) {
            writer.write("");
          }
          writer.write("private Builder() {}");
          members.forEach(this::setter);
          if (moreSetters != null) {
            moreSetters.run();
          }
          build();
        });
  }

  private void builderField(Member member) {
    Node preset = member.preset();
    if (preset != null) {
      writer.write(
          "private $T $L = $L;",
          member.type(),
          member.name(),
          DefaultValues.expression(writer, member, preset));
    } else if (member.isCollection() && !member.mustBeSet()) {
      writer.write(
          "private $T $L = $L.of();",
          member.type(),
          member.name(),
          writer.name(new JavaType(member.type().packageName(), member.type().name(), List.of())));
    } else {
      writer.write("private $T $L;", member.type().boxed(), member.name());
    }
  }

  private void setter(Member member) {
    writer.write("");
    writer.doc("Sets " + modelled(member) + (member.mustBeSet() ? ", which is required." : "."));
    writer.openBlock(
        "public Builder $L($T $L) {",
        "}",
        member.name(),
        member.type(),
        member.name(),
        () -> {
          writer.write("this.$L = $L;", member.name(), member.name());
          writer.write("return this;");
        });
  }

  private void build() {
    List<String> required = members.stream().filter(Member::mustBeSet).map(Member::name).toList();
    writer.write("");
    writer.doc(
        "",
        List.of("Returns what was built."),
        required.isEmpty()
            ? List.of()
            : List.of(
                "@throws NullPointerException if "
                    + String.join(" or ", required)
                    + (required.size() == 1 ? " is" : " are")
                    + " not set"));
    writer.openBlock(
        "public $L build() {",
        "}",
        className,
        () -> writer.write("return new $L(this);", className));
  }
}
