package dev.reprise.smithy.generate;

import dev.reprise.smithy.source.JavaType;
import dev.reprise.smithy.source.JavaWriter;
import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import software.amazon.smithy.model.shapes.StructureShape;

/** Writes the class of a structure that errors have as a member. */
final class StructureGenerator {
  private final JavaWriter writer;
  private final StructureShape structure;
  private final String className;
  private final List<Member> members;
  private final BuilderWriter builder;

  StructureGenerator(
      JavaWriter writer, StructureShape structure, String className, List<Member> members) {
    this.writer = writer;
    this.structure = structure;
    this.className = className;
    this.members = members;
    this.builder = new BuilderWriter(writer, className, members);
  }

  void write() {
    writer.doc(
        Member.documentation(structure),
        List.of("The structure {@code " + structure.getId() + "}. Immutable."),
        List.of());
    builder.suppressions();
    writer.openBlock(
        "public final class $L implements $T {",
        "}",
        className,
        JavaType.of(Serializable.class),
        this::body);
  }

  private void body() {
    writer.write("private static final long serialVersionUID = 1L;");
    if (!members.isEmpty()) {
      writer.write("");
      builder.fields();
    }
    writer.write("");
    if (members.isEmpty()) {
      writer.write("private $L(Builder builder) {}", className);
    } else {
      writer.openBlock("private $L(Builder builder) {", "}", className, builder::takeOver);
    }
    builder.start();
    members.forEach(member -> builder.accessor(member, member.name()));
    equality();
    text();
    builder.builder(null, null);
  }

  private void equality() {
    writer.write("");
    writer.write("@Override");
    writer.openBlock(
        "public boolean equals(Object other) {",
        "}",
        () -> {
          if (members.isEmpty()) {
            writer.write("return other instanceof $L;", className);
            return;
          }
          writer.write("return this == other");
          writer.write("    || (other instanceof $L that", className);
          for (int i = 0; i < members.size(); i++) {
            String end = i == members.size() - 1 ? ");" : "";
            writer.write("        && $L$L", same(members.get(i)), end);
          }
        });
    writer.write("");
    writer.write("@Override");
    writer.openBlock(
        "public int hashCode() {",
        "}",
        () ->
            writer.write(
                "return $L;",
                members.isEmpty()
                    ? className + ".class.hashCode()"
                    : JavaWriter.call(
                        writer.name(JavaType.of(Objects.class)) + ".hash",
                        members.stream().map(Member::name).toList())));
  }

  private String same(Member member) {
    // The method's own variables.
    boolean hidden = Set.of("other", "that").contains(member.name());
    return String.format(
        Locale.ROOT,
        "%s.equals(%s%s, that.%s)",
        writer.name(JavaType.of(Objects.class)),
        hidden ? "this." : "",
        member.name(),
        member.name());
  }

  private void text() {
    writer.write("");
    writer.doc("Returns the values in one line, {@code ***} for those that are secret.");
    writer.write("@Override");
    writer.openBlock("public String toString() {", "}", this::words);
  }

  private void words() {
    if (members.isEmpty()) {
      writer.write("return $S;", className + "[]");
      return;
    }
    String start = "return ";
    String label = className + "[";
    for (Member member : members) {
      label += member.name() + "=";
      if (member.sensitive()) {
        writer.write("$L$S", start, label + "***");
      } else {
        writer.write("$L$S + $L", start, label, member.name());
      }
      start = "    + ";
      label = ", ";
    }
    writer.write("    + \"]\";");
  }
}
