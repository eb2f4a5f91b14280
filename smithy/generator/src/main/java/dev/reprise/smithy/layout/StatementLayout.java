package dev.reprise.smithy.layout;

import static dev.reprise.smithy.layout.Layout.Fill.ALL;
import static dev.reprise.smithy.layout.Layout.Fill.WHEN_FULL;

import dev.reprise.smithy.layout.Expression.TypeName;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Where google-java-format breaks one statement, one declaration or what is before a block. */
final class StatementLayout {
  private static final Set<String> MODIFIERS =
      Set.of(
          "public",
          "protected",
          "private",
          "static",
          "final",
          "abstract",
          "sealed",
          "default",
          "transient",
          "volatile",
          "synchronized");

  private static final Set<String> BEFORE_BLOCK = Set.of("if", "while", "switch");

  private final Layout out = new Layout();
  private final ExpressionLayout expressions = new ExpressionLayout(out);
  private final JavaReader in;

  private StatementLayout(List<Token> tokens) {
    this.in = new JavaReader(tokens);
  }

  /**
   * Returns the lines of what ends in a semicolon or an opening brace.
   *
   * @throws JavaReader.Unknown for what is not known here
   */
  static String of(List<Token> tokens, int indent) {
    StatementLayout layout = new StatementLayout(tokens);
    layout.statement();
    if (!layout.in.atEnd()) {
      throw new JavaReader.Unknown();
    }
    return layout.out.write(indent);
  }

  private void statement() {
    if (in.peek("case") || (in.peek("default") && in.peek(1, "->"))) {
      arrowCase();
    } else if (in.peek("return") || in.peek("throw")) {
      expressionAfter(in.word());
    } else if (in.peek("for")) {
      forEach();
    } else if (in.peekWord(0) && BEFORE_BLOCK.stream().anyMatch(in::peek)) {
      out.text(in.word() + " (");
      in.expect("(");
      expressions.write(in.expression());
      in.expect(")");
      out.text(")");
      block();
    } else {
      declarationOrExpression();
    }
  }

  private void block() {
    in.expect("{");
    out.text(" {");
  }

  private void semicolon() {
    in.expect(";");
    out.text(";");
  }

  private void expressionAfter(String word) {
    out.text(word);
    if (!in.peek(";")) {
      out.text(" ");
      expressions.write(in.expression());
    }
    semicolon();
  }

  private void arrowCase() {
    out.open(4);
    out.text(in.word());
    if (!in.peek("->")) {
      out.open(0);
      out.text(" ");
      int start = in.mark();
      TypeName type = in.typeOrNull();
      if (type != null && in.peekWord(0)) {
        expressions.variable(type, in.word());
      } else {
        in.back(start);
        List<Expression> labels = new ArrayList<>();
        do {
          labels.add(in.expression());
        } while (in.skip(","));
        expressions.list(labels);
      }
      out.close();
    }
    in.expect("->");
    out.text(" ->");
    if (in.peek("{")) {
      out.close();
      block();
      return;
    }
    out.breakable(ALL, " ");
    if (in.skip("throw")) {
      out.text("throw ");
    }
    expressions.write(in.expression());
    out.close();
    semicolon();
  }

  private void forEach() {
    in.expect("for");
    in.expect("(");
    out.text("for (");
    TypeName type = in.type();
    out.open(0);
    variable(type, ":");
    out.close();
    in.expect(")");
    out.text(")");
    block();
  }

  private void declarationOrExpression() {
    List<String> modifiers = modifiers();
    if (in.peekWord(1)
        && (in.peek("class") || in.peek("interface") || (in.peek("record") && isHeader()))) {
      modifiers(modifiers);
      typeHeader(in.word());
      return;
    }
    int start = in.mark();
    if (in.peekWord(0) && in.peek(1, "(") && constructor(modifiers)) {
      return;
    }
    in.back(start);
    TypeName type = in.typeOrNull();
    if (type != null && in.peekWord(0) && !in.peek("instanceof")) {
      if (in.peek(1, "(")) {
        modifiers(modifiers);
        method(type);
        return;
      }
      out.open(0);
      modifiers(modifiers);
      variable(type, "=");
      semicolon();
      out.close();
      return;
    }
    if (!modifiers.isEmpty()) {
      throw new JavaReader.Unknown();
    }
    in.back(start);
    expressions.write(in.expression());
    semicolon();
  }

  private boolean isHeader() {
    return in.peek(2, "(") || in.peek(2, "<");
  }

  private List<String> modifiers() {
    List<String> modifiers = new ArrayList<>();
    while (in.peekWord(0)) {
      int start = in.mark();
      String word = in.word();
      if (word.equals("non") && in.skip("-") && in.skip("sealed")) {
        modifiers.add("non-sealed");
      } else if (MODIFIERS.contains(word) && in.peekWord(0)) {
        modifiers.add(word);
      } else {
        in.back(start);
        return modifiers;
      }
    }
    return modifiers;
  }

  private void modifiers(List<String> modifiers) {
    for (int i = 0; i < modifiers.size(); i++) {
      if (i == 0) {
        out.open(0);
      } else {
        fillBreak();
      }
      out.text(modifiers.get(i));
    }
    if (!modifiers.isEmpty()) {
      out.close();
      fillBreak();
    }
  }

  /** A break that is judged by what comes right after it, alone. */
  private void fillBreak() {
    out.open(0);
    out.breakable(WHEN_FULL, " ");
    out.close();
  }

  private void variable(TypeName type, String sign) {
    String name = in.word();
    if (in.skip(sign)) {
      expressions.variable(type, name, sign, in.expression());
    } else {
      expressions.variable(type, name);
    }
  }

  private void typeHeader(String kind) {
    out.text(kind + " " + in.word());
    if (in.peek("<")) {
      throw new JavaReader.Unknown();
    }
    out.open(4);
    if (kind.equals("record")) {
      in.expect("(");
      out.text("(");
      parameters();
    }
    if (in.peek("extends") && kind.equals("class")) {
      out.breakable(WHEN_FULL, " ");
      out.text(in.word() + " ");
      expressions.write(in.type());
    }
    for (String list : List.of("extends", "implements", "permits")) {
      if (in.skip(list)) {
        out.breakable(WHEN_FULL, " ");
        List<TypeName> types = types();
        out.open(types.size() > 1 ? 4 : 0);
        out.text(list + " ");
        expressions.list(types);
        out.close();
      }
    }
    out.close();
    emptyOrOpenBody();
  }

  private List<TypeName> types() {
    List<TypeName> types = new ArrayList<>();
    do {
      types.add(in.type());
    } while (in.skip(","));
    return types;
  }

  private void emptyOrOpenBody() {
    block();
    if (in.skip("}")) {
      out.text("}");
    }
  }

  private boolean constructor(List<String> modifiers) {
    String name = in.word();
    if (modifiers.isEmpty() && !endsInBlock()) {
      return false;
    }
    modifiers(modifiers);
    out.open(4);
    out.open(0);
    out.open(0);
    in.expect("(");
    out.text(name + "(");
    out.close();
    out.close();
    afterName(new Layout.Taken());
    return true;
  }

  private boolean endsInBlock() {
    int start = in.mark();
    in.expect("(");
    int depth = 1;
    while (depth > 0 && !in.atEnd()) {
      depth += in.peek("(") ? 1 : in.peek(")") ? -1 : 0;
      in.advance();
    }
    boolean block = in.peek("{") || in.peek("throws");
    in.back(start);
    return block;
  }

  private void method(TypeName type) {
    Layout.Taken beforeName = new Layout.Taken();
    out.open(4);
    out.open(0);
    out.open(0);
    out.open(0);
    expressions.undimensioned(type);
    expressions.dimensions(type);
    out.close();
    out.breakable(WHEN_FULL, " ", beforeName);
    out.text(in.word());
    in.expect("(");
    out.text("(");
    out.close();
    out.close();
    afterName(beforeName);
  }

  private void afterName(Layout.Taken beforeName) {
    out.open(4, beforeName);
    out.open(0);
    out.open(0);
    parameters();
    if (in.skip("throws")) {
      out.breakable(WHEN_FULL, " ");
      out.open(4);
      out.text("throws");
      out.breakable(WHEN_FULL, " ");
      expressions.list(types());
      out.close();
    }
    out.close();
    out.close();
    out.close();
    if (in.peek(";")) {
      semicolon();
    } else {
      emptyOrOpenBody();
    }
    out.close();
  }

  /** Writes what is between the brackets, and the closing one. */
  private void parameters() {
    if (!in.peek(")")) {
      out.breakable(WHEN_FULL, "");
      out.open(0);
      boolean more = true;
      while (more) {
        out.open(0);
        modifiers(modifiers());
        expressions.variable(in.type(), in.word());
        more = in.skip(",");
        out.text(more ? "," : "");
        out.close();
        if (more) {
          out.breakable(ALL, " ");
        }
      }
      out.close();
    }
    in.expect(")");
    out.text(")");
  }
}
