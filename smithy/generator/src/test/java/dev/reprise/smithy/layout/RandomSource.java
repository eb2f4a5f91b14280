package dev.reprise.smithy.layout;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Java of the forms that are generated, each statement and header on one line, names of any length.
 */
final class RandomSource {
  private static final List<String> STRINGS =
      List.of(
          "\"\"", "\"x\"", "\"a \\\" // b\"", "\"{(<\"", "\"a rather long text, of many words; \"");

  private final Random random;

  RandomSource(Random random) {
    this.random = random;
  }

  String compilationUnit() {
    String members = many(12, "\n\n  ", this::member);
    return "package p;\n\n" + header() + " {\n  " + members + "\n}\n";
  }

  private String header() {
    return switch (random.nextInt(3)) {
      case 0 -> "public final class " + typeName() + " extends " + typeName();
      case 1 ->
          "public final class " + typeName() + " extends " + typeName() + " implements " + types();
      default ->
          "public sealed class "
              + typeName()
              + " implements "
              + types()
              + " permits "
              + many(4, ", ", this::typeName);
    };
  }

  private String member() {
    return switch (random.nextInt(8)) {
      case 0 -> "private final " + type(3) + " " + name() + ";";
      case 1 -> "static final " + type(2) + " " + name() + " = " + expression(3) + ";";
      case 2 -> "record " + typeName() + "(" + parameters() + ") implements " + types() + " {}";
      case 3 -> "public abstract " + type(3) + " " + name() + "();";
      case 4 -> "private " + typeName() + "(" + parameters() + ") {\n" + statements() + "\n  }";
      case 5 ->
          "public static "
              + type(2)
              + " "
              + name()
              + "("
              + parameters()
              + ") throws "
              + typeName()
              + ", "
              + typeName()
              + " {\n"
              + statements()
              + "\n  }";
      default ->
          "public "
              + type(2)
              + " "
              + name()
              + "("
              + parameters()
              + ") {\n"
              + statements()
              + "\n  }";
    };
  }

  private String statements() {
    return many(5, "\n", () -> "    " + statement());
  }

  private String statement() {
    return switch (random.nextInt(12)) {
      case 0 -> "this." + name() + " = Objects.requireNonNull(" + name() + ", " + string() + ");";
      case 1 -> type(2) + " " + name() + " = " + expression(3) + ";";
      case 2 ->
          "for (" + type(2) + " " + name() + " : " + expression(2) + ") {\n      continue;\n    }";
      case 3 -> "if (" + condition() + ") {\n      return " + expression(2) + ";\n    }";
      case 4 -> "throw new " + typeName() + "(" + concatenation() + ");";
      case 5 -> "return " + condition() + ";";
      case 6 -> "return " + concatenation() + ";";
      case 7 -> "return " + builder() + ";";
      case 8 ->
          "switch ("
              + name()
              + ") {\n      case "
              + string()
              + " -> "
              + call(2)
              + ";\n      case \"v\", \"w\" -> throw new "
              + typeName()
              + "("
              + expression(1)
              + ");\n      default -> "
              + call(1)
              + ";\n    }";
      case 9 ->
          "switch ("
              + name()
              + ") {\n      case "
              + string()
              + ":\n        return "
              + expression(3)
              + ";\n    }";
      case 10 -> call(3) + ";";
      default -> "return " + expression(4) + ";";
    };
  }

  private String builder() {
    return typeName()
        + ".builder()"
        + many(6, "", () -> "." + name() + "(" + expression(2) + ")")
        + ".build()";
  }

  private String condition() {
    return many(
        5,
        random.nextBoolean() ? " && " : " || ",
        () -> random.nextBoolean() ? call(1) : name() + " == " + expression(0));
  }

  private String concatenation() {
    return string() + " + " + many(5, " + ", () -> random.nextBoolean() ? string() : call(1));
  }

  private String call(int depth) {
    return switch (random.nextInt(5)) {
      case 0 -> name() + "(" + arguments(depth) + ")";
      case 1 -> typeName() + "." + name() + "(" + arguments(depth) + ")";
      case 2 -> name() + many(4, "", () -> "." + name() + "(" + arguments(depth) + ")");
      case 3 -> "this." + name() + "." + name() + "(" + arguments(depth) + ")";
      default ->
          typeName()
              + "."
              + name()
              + "("
              + arguments(depth)
              + ")"
              + many(3, "", () -> "." + name() + "(" + arguments(depth - 1) + ")");
    };
  }

  private String arguments(int depth) {
    return random.nextInt(4) == 0 ? "" : many(3, ", ", () -> expression(depth - 1));
  }

  private String expression(int depth) {
    if (depth <= 0) {
      return random.nextInt(3) == 0 ? string() : name();
    }
    return switch (random.nextInt(10)) {
      case 0 -> name();
      case 1 -> string();
      case 2 -> "new " + typeName() + "<>(" + arguments(depth) + ")";
      case 3 -> name() + " -> " + call(depth - 1);
      case 4 -> typeName() + "::" + name();
      case 5 -> "(" + type(1) + ") " + name();
      case 6 -> name() + " == null ? " + expression(depth - 1) + " : " + call(depth - 1);
      case 7 -> "(" + name() + ", " + name() + ") -> " + call(depth - 1);
      default -> call(depth);
    };
  }

  private String parameters() {
    return many(4, ", ", () -> type(2) + " " + name());
  }

  private String types() {
    return many(4, ", ", () -> typeName() + (random.nextInt(3) == 0 ? "<" + type(1) + ">" : ""));
  }

  private String type(int depth) {
    if (depth == 0 || random.nextInt(3) == 0) {
      return List.of("String", "byte[]", "Integer", typeName(), typeName() + "." + typeName())
          .get(random.nextInt(5));
    }
    return random.nextBoolean()
        ? "List<" + type(depth - 1) + ">"
        : "Map<String, " + type(depth - 1) + ">";
  }

  private String string() {
    return STRINGS.get(random.nextInt(STRINGS.size()));
  }

  private String typeName() {
    return "T" + letters();
  }

  private String name() {
    return "m" + letters();
  }

  private String letters() {
    int length = random.nextInt(4) == 0 ? random.nextInt(45) : random.nextInt(12);
    String letters =
        random
            .ints(length, 'a', 'z' + 1)
            .mapToObj(Character::toString)
            .collect(Collectors.joining());
    return length > 6
        ? letters.substring(0, 3)
            + letters.substring(3, 4).toUpperCase(java.util.Locale.ROOT)
            + letters.substring(4)
        : letters + "x";
  }

  private String many(int most, String between, Supplier<String> one) {
    return IntStream.rangeClosed(0, random.nextInt(most))
        .mapToObj(i -> one.get())
        .collect(Collectors.joining(between));
  }
}
