package dev.reprise.smithy.generate;

import dev.reprise.smithy.names.TypeNames;
import dev.reprise.smithy.names.UniqueNames;
import dev.reprise.smithy.source.JavaType;
import dev.reprise.smithy.source.JavaWriter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.knowledge.HttpBinding;
import software.amazon.smithy.model.knowledge.HttpBinding.Location;
import software.amazon.smithy.model.knowledge.HttpBindingIndex;
import software.amazon.smithy.model.shapes.MemberShape;
import software.amazon.smithy.model.shapes.ServiceShape;
import software.amazon.smithy.model.shapes.Shape;
import software.amazon.smithy.model.shapes.StructureShape;
import software.amazon.smithy.model.shapes.UnionShape;

/** Writes the class that turns the responses of a service into exceptions. */
final class HttpErrorsGenerator {
  private static final int CODES_IN_A_METHOD = 500;

  private final JavaWriter writer;
  private final Model model;
  private final ServiceShape service;
  private final Protocol protocol;
  private final Collection<StructureShape> errors;
  private final TypeNames names;
  private final JavaTypes types;
  private final Members members;
  private final ReadExpressions expressions;
  private final String className;

  HttpErrorsGenerator(
      JavaWriter writer,
      Model model,
      ServiceShape service,
      String className,
      Protocol protocol,
      TypeNames names,
      JavaTypes types,
      Members members) {
    this.writer = writer;
    this.model = model;
    this.service = service;
    this.protocol = protocol;
    this.errors = ErrorShapes.errorsOf(model, service);
    this.names = names;
    this.types = types;
    this.members = members;
    this.className = className;
    this.expressions = new ReadExpressions(model, protocol, writer, types, className);
  }

  /** Returns the name of the method that reads a class. */
  static String readerOf(JavaType type) {
    return "read" + type.name();
  }

  void write() {
    writer.doc(
        "",
        List.of(
            "Turns the responses of {@code "
                + service.getId()
                + "} that are no success into exceptions."
                + " Stateless and thread-safe."),
        List.of());
    writer.openBlock("public final class $L {", "}", className, this::body);
  }

  private void body() {
    writer.write("private $L() {}", className);
    writer.write("");
    read();
    for (StructureShape error : errors) {
      writer.write("");
      readError(error);
    }
    for (Shape nested : nestedTypes()) {
      writer.write("");
      if (nested instanceof UnionShape union) {
        readUnion(union);
      } else {
        readStructure((StructureShape) nested);
      }
    }
  }

  private void read() {
    writer.doc(
        "",
        List.of(
            "Returns the error that a response stands for: the model's when the response names one,"
                + " or names none and its status is that of one error only; else an {@link "
                + writer.name(RuntimeTypes.UNMODELED)
                + "}."
                + " Whatever the server sent, this does not fail."),
        List.of(
            "@param status the status code, not one of success",
            "@param headers the values of each header; names in any case",
            "@param body the whole body; may be empty",
            "@throws IllegalArgumentException if the status is 200 to 299"));
    NavigableMap<Integer, StructureShape> byStatus = byStatus();
    JavaType headers =
        JavaType.of(Map.class, JavaTypes.STRING, JavaType.of(List.class, JavaTypes.STRING));
    writer.openBlock(
        "public static $T read(int status, $T headers, byte[] body) {",
        "}",
        RuntimeTypes.HTTP_ERROR,
        headers,
        () -> {
          writer.write(
              "$T response = $T.of(status, headers, body);",
              RuntimeTypes.RESPONSE,
              RuntimeTypes.RESPONSE);
          writer.openBlock(
              "for (String code : response.codes()) {",
              "}",
              () -> {
                writer.write("$T named = byCode(code, response);", RuntimeTypes.HTTP_ERROR);
                writer.openBlock("if (named != null) {", "}", () -> writer.write("return named;"));
              });
          if (!byStatus.isEmpty()) {
            writer.openBlock(
                "if (response.$L()) {",
                "}",
                protocol.unnamed(),
                () -> {
                  writer.write("$T only = byStatus(response);", RuntimeTypes.HTTP_ERROR);
                  writer.openBlock("if (only != null) {", "}", () -> writer.write("return only;"));
                });
          }
          writer.write("return response.$L();", protocol.unmodeled());
        });
    byCode();
    if (!byStatus.isEmpty()) {
      byStatus(byStatus);
    }
  }

  /** A method of Java has room for some 64 KB of code. */
  private void byCode() {
    List<StructureShape> all = List.copyOf(errors);
    for (int from = 0; from < all.size(); from += CODES_IN_A_METHOD) {
      int to = Math.min(all.size(), from + CODES_IN_A_METHOD);
      String rest = to == all.size() ? "null" : byCodeName(to) + "(code, response)";
      byCode(byCodeName(from), all.subList(from, to), rest);
    }
  }

  private static String byCodeName(int from) {
    return from == 0 ? "byCode" : "byCode" + (from / CODES_IN_A_METHOD + 1);
  }

  private void byCode(String name, List<StructureShape> named, String otherwise) {
    writer.write("");
    writer.openBlock(
        "private static $T $L(String code, $T response) {",
        "}",
        RuntimeTypes.HTTP_ERROR,
        name,
        RuntimeTypes.RESPONSE,
        () ->
            writer.openBlock(
                "return switch (code) {",
                "};",
                () -> {
                  for (StructureShape error : named) {
                    // Codes are names of the model, which a service may rename.
                    writer.write(
                        "case $S -> $L(response);",
                        error.getId().getName(service),
                        readerOf(types.classOf(error)));
                  }
                  writer.write("default -> $L;", otherwise);
                }));
  }

  private void byStatus(NavigableMap<Integer, StructureShape> byStatus) {
    writer.write("");
    writer.openBlock(
        "private static $T byStatus($T response) {",
        "}",
        RuntimeTypes.HTTP_ERROR,
        RuntimeTypes.RESPONSE,
        () ->
            writer.openBlock(
                "return switch (response.status()) {",
                "};",
                () -> {
                  byStatus.forEach(
                      (status, error) ->
                          writer.write(
                              "case $L -> $L(response);", status, readerOf(types.classOf(error))));
                  writer.write("default -> null;");
                }));
  }

  /** Returns the errors that are the only one with a status of their own. */
  private NavigableMap<Integer, StructureShape> byStatus() {
    NavigableMap<Integer, StructureShape> only = new TreeMap<>();
    SortedSet<Integer> several = new TreeSet<>();
    for (StructureShape error : errors) {
      ErrorFacts facts = ErrorFacts.of(error);
      if (facts.ownStatus() && only.put(facts.httpStatus(), error) != null) {
        several.add(facts.httpStatus());
      }
    }
    several.forEach(only::remove);
    // If errors have names, a response without one may come from a gateway.
    if (protocol != Protocol.PLAIN_JSON) {
      only.values().removeIf(error -> !ErrorFacts.of(error).isToldByItsStatus());
    }
    return only;
  }

  private void readError(StructureShape error) {
    String type = names.of(error.getId());
    writer.openBlock(
        "private static $L read$L($T response) {",
        "}",
        type,
        type,
        RuntimeTypes.RESPONSE,
        () -> {
          List<Member> all = members.of(error);
          Map<String, HttpBinding> bindings =
              protocol.hasBindings()
                  ? HttpBindingIndex.of(model).getResponseBindings(error)
                  : Map.of();
          boolean inBody =
              all.stream().anyMatch(member -> location(bindings, member) == Location.DOCUMENT);
          if (inBody) {
            writer.write("$T body = response.body();", RuntimeTypes.JSON);
          }
          writer.write("return $L.builder()", type);
          for (Member member : all) {
            setter(member, bindings.get(member.shape().getMemberName()));
          }
          writer.write("    .received(response.status(), response.retryAfter())");
          writer.write("    .build();");
        });
  }

  private void setter(Member member, @Nullable HttpBinding binding) {
    writer.write("    .$L($L)", member.name(), expressions.member(member, binding));
  }

  private static Location location(Map<String, HttpBinding> bindings, Member member) {
    HttpBinding binding = bindings.get(member.shape().getMemberName());
    Location location = binding == null ? Location.DOCUMENT : binding.getLocation();
    return location == Location.UNBOUND ? Location.DOCUMENT : location;
  }

  private Collection<Shape> nestedTypes() {
    return ErrorShapes.reachedFrom(model, errors).stream()
        .filter(shape -> shape.isStructureShape() || shape.isUnionShape())
        .toList();
  }

  private void readStructure(StructureShape structure) {
    String type = names.of(structure.getId());
    writer.openBlock(
        "private static $L read$L($T body) {",
        "}",
        type,
        type,
        RuntimeTypes.JSON,
        () -> {
          List<Member> all = members.of(structure);
          if (all.isEmpty()) {
            writer.write("return $L.builder().build();", type);
            return;
          }
          writer.write("return $L.builder()", type);
          all.forEach(member -> setter(member, null));
          writer.write("    .build();");
        });
  }

  private void readUnion(UnionShape union) {
    String type = names.of(union.getId());
    String unknown = type + "." + UnionGenerator.UNKNOWN;
    Map<String, String> variants = UniqueNames.variants(union.getMemberNames(), type);
    writer.openBlock(
        "private static $L read$L($T body) {",
        "}",
        type,
        type,
        RuntimeTypes.JSON,
        () -> {
          writer.write("String tag = $T.or(body.tag(), \"\");", RuntimeTypes.JSON);
          writer.write("$L unknown = new $L(tag);", unknown, unknown);
          writer.openBlock(
              "return switch (tag) {",
              "};",
              () -> {
                for (MemberShape member : union.members()) {
                  String variant = type + "." + variants.get(member.getMemberName());
                  writer.write("case $S ->", protocol.jsonName(member));
                  writer.write("    $L;", variantExpression(member, variant));
                }
                writer.write("default -> unknown;");
              });
        });
  }

  /** A value of another type than the model's counts as a member that the model lacks. */
  private String variantExpression(MemberShape member, String variant) {
    if (UnionGenerator.isUnit(member)) {
      return "new " + variant + "()";
    }
    String json = "body.get(" + JavaWriter.literal(protocol.jsonName(member)) + ")";
    String value = expressions.value(member, json, Location.DOCUMENT);
    return JavaWriter.call(
        writer.name(RuntimeTypes.JSON) + ".or", List.of(value, variant + "::new", "unknown"));
  }
}
