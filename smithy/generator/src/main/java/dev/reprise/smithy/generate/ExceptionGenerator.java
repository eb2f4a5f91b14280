package dev.reprise.smithy.generate;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.RetrySafety;
import dev.reprise.smithy.source.JavaType;
import dev.reprise.smithy.source.JavaWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.shapes.StructureShape;

/** Writes the exception of an error. */
final class ExceptionGenerator {
  private final JavaWriter writer;
  private final StructureShape error;
  private final String className;
  private final ErrorFacts facts;
  private final List<Member> members;
  private final @Nullable Member message;
  private final BuilderWriter builder;

  ExceptionGenerator(
      JavaWriter writer, StructureShape error, String className, List<Member> members) {
    this.writer = writer;
    this.error = error;
    this.className = className;
    this.facts = ErrorFacts.of(error);
    this.members = members;
    this.message = members.stream().filter(ExceptionGenerator::isMessage).findFirst().orElse(null);
    this.builder = new BuilderWriter(writer, className, members);
  }

  /** A secret is never a message: messages end in logs. */
  private static boolean isMessage(Member member) {
    return Members.isMessage(member) && !member.sensitive();
  }

  void write() {
    writer.doc(Member.documentation(error), List.of(summary()), List.of());
    builder.suppressions();
    writer.openBlock(
        "public final class $L extends $T {", "}", className, RuntimeTypes.HTTP_ERROR, this::body);
  }

  private String summary() {
    String kind = facts.throttle() ? ", throttling" : facts.timeout() ? ", a timeout" : "";
    String whose = facts.fault() == ErrorFault.CLIENT ? "client" : "server";
    return String.format(
        Locale.ROOT,
        "The error {@code %s}: the %s's fault, HTTP %d%s. %s.",
        error.getId(),
        whose,
        facts.httpStatus(),
        kind,
        retryRule());
  }

  private String retryRule() {
    return switch (facts.safety()) {
      case YES -> "It is safe to retry";
      case NO -> "It is never retried";
      case MAYBE -> "It is retried when the operation is idempotent";
    };
  }

  private void body() {
    writer.write("private static final long serialVersionUID = 1L;");
    List<Member> own = members.stream().filter(member -> !member.equals(message)).toList();
    if (!own.isEmpty()) {
      writer.write("");
      new BuilderWriter(writer, className, own).fields();
    }
    constructor(own);
    builder.start();
    facts();
    for (Member member : members) {
      builder.accessor(member, member.equals(message) ? "getMessage()" : member.name());
    }
    builder.builder(this::builderFields, this::builderSetters);
  }

  private void constructor(List<Member> own) {
    writer.write("");
    writer.openBlock(
        "private $L(Builder builder) {",
        "}",
        className,
        () -> {
          writer.write(
              "super($L, builder.cause, builder.httpStatus, builder.retryAfter);",
              message == null ? "null" : builder.taken(message));
          new BuilderWriter(writer, className, own).takeOver();
        });
  }

  private void facts() {
    fact("fault", JavaType.of(ErrorFault.class), facts.fault().name());
    fact("isRetrySafe", JavaType.of(RetrySafety.class), facts.safety().name());
    fact("isThrottle", JavaType.of(boolean.class), String.valueOf(facts.throttle()));
    fact("isTimeout", JavaType.of(boolean.class), String.valueOf(facts.timeout()));
  }

  private void fact(String name, JavaType type, String value) {
    String written = writer.name(type);
    String constant = type.isPrimitive() ? value : written + "." + value;
    writer.write("");
    writer.write("@Override");
    writer.openBlock(
        "public $L $L() {", "}", written, name, () -> writer.write("return $L;", constant));
  }

  private void builderFields() {
    writer.write("private Throwable cause;");
    writer.write("private int httpStatus = $L;", facts.httpStatus());
    writer.write("private $T retryAfter;", JavaType.of(Duration.class));
  }

  private void builderSetters() {
    writer.write("");
    writer.doc("Sets the failure that led to this one.");
    writer.openBlock(
        "public Builder cause(Throwable cause) {",
        "}",
        () -> {
          writer.write("this.cause = cause;");
          writer.write("return this;");
        });
    writer.write("");
    writer.doc("Tells what the response said besides its body. A null hint is none.");
    writer.openBlock(
        "Builder received(int httpStatus, $T retryAfter) {",
        "}",
        JavaType.of(Duration.class),
        () -> {
          writer.write("this.httpStatus = httpStatus;");
          writer.write("this.retryAfter = retryAfter;");
          writer.write("return this;");
        });
  }
}
