package dev.reprise.smithy.layout;

import dev.reprise.smithy.layout.Expression.Assignment;
import dev.reprise.smithy.layout.Expression.Call;
import dev.reprise.smithy.layout.Expression.Cast;
import dev.reprise.smithy.layout.Expression.Choice;
import dev.reprise.smithy.layout.Expression.Creation;
import dev.reprise.smithy.layout.Expression.Infix;
import dev.reprise.smithy.layout.Expression.Lambda;
import dev.reprise.smithy.layout.Expression.MethodReference;
import dev.reprise.smithy.layout.Expression.Parenthesized;
import dev.reprise.smithy.layout.Expression.Prefix;
import dev.reprise.smithy.layout.Expression.Select;
import dev.reprise.smithy.layout.Expression.TypeName;
import dev.reprise.smithy.layout.Expression.TypeTest;
import dev.reprise.smithy.layout.Expression.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads types and expressions from tokens. What it does not know (lambdas with a block, switch
 * expressions, arrays' initializers, annotations) is {@link Unknown}.
 */
final class JavaReader {
  /** Deeper than anyone writes, and far from the end of a thread's stack. */
  private static final int MAX_DEPTH = 200;

  private static final List<Set<String>> INFIX =
      List.of(
          Set.of("||"),
          Set.of("&&"),
          Set.of("|"),
          Set.of("^"),
          Set.of("&"),
          Set.of("==", "!="),
          Set.of("<", ">", "<=", ">="),
          Set.of("+", "-"),
          Set.of("*", "/", "%"));

  private static final int COMPARISON = 6;

  private static final Set<String> ASSIGNMENTS =
      Set.of("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=");

  private static final Set<String> PRIMITIVES =
      Set.of("boolean", "byte", "short", "int", "long", "char", "float", "double", "void");

  private final List<Token> tokens;
  private int at;
  private int depth;

  JavaReader(List<Token> tokens) {
    this.tokens = tokens;
  }

  /** The text has a form that is not among those that are read here. */
  static final class Unknown extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unknown() {
      super("a form of Java that is not laid out here", null, false, false);
    }
  }

  boolean atEnd() {
    return at == tokens.size();
  }

  boolean peek(String text) {
    return peek(0, text);
  }

  boolean peek(int ahead, String text) {
    return at + ahead < tokens.size() && tokens.get(at + ahead).is(text);
  }

  boolean peekWord(int ahead) {
    return at + ahead < tokens.size() && tokens.get(at + ahead).kind() == Token.Kind.WORD;
  }

  boolean skip(String text) {
    if (!peek(text)) {
      return false;
    }
    at++;
    return true;
  }

  void expect(String text) {
    if (!skip(text)) {
      throw new Unknown();
    }
  }

  String word() {
    if (!peekWord(0)) {
      throw new Unknown();
    }
    return tokens.get(at++).text();
  }

  void advance() {
    at++;
  }

  int mark() {
    return at;
  }

  void back(int mark) {
    at = mark;
  }

  /** Reads a type, or returns null and reads nothing. */
  @Nullable TypeName typeOrNull() {
    int start = at;
    try {
      return type();
    } catch (Unknown notAType) {
      at = start;
      return null;
    }
  }

  TypeName type() {
    deeper();
    TypeName type;
    if (skip("?")) {
      TypeName bound = null;
      String name = "?";
      if (peek("extends") || peek("super")) {
        name = "? " + word();
        bound = type();
      }
      type = new TypeName(new Word(name, false), List.of(), bound, List.of());
    } else {
      Expression name = new Word(word(), true);
      while (peek(".") && peekWord(1)) {
        at++;
        name = new Select(name, word());
      }
      List<TypeName> arguments = peek("<") ? typeArguments() : List.of();
      type = new TypeName(name, arguments, null, dimensions());
    }
    depth--;
    return type;
  }

  private List<TypeName> typeArguments() {
    expect("<");
    List<TypeName> arguments = new ArrayList<>();
    if (!peek(">")) {
      do {
        arguments.add(type());
      } while (skip(","));
    } else {
      arguments.add(new TypeName(new Word("", false), List.of(), null, List.of()));
    }
    expect(">");
    return arguments;
  }

  private List<String> dimensions() {
    List<String> dimensions = new ArrayList<>();
    while (peek("[") && peek(1, "]")) {
      at += 2;
      dimensions.add("[]");
    }
    if (skip("...")) {
      dimensions.add("...");
    }
    return dimensions;
  }

  Expression expression() {
    deeper();
    Expression left = choice();
    if (!atEnd() && ASSIGNMENTS.contains(tokens.get(at).text())) {
      left = new Assignment(left, tokens.get(at++).text(), expression());
    }
    depth--;
    return left;
  }

  private void deeper() {
    depth++;
    if (depth > MAX_DEPTH) {
      throw new Unknown();
    }
  }

  private Expression choice() {
    Lambda lambda = lambdaOrNull();
    if (lambda != null) {
      return lambda;
    }
    Expression condition = infix(0);
    if (!skip("?")) {
      return condition;
    }
    Expression yes = expression();
    expect(":");
    return new Choice(condition, yes, expression());
  }

  private @Nullable Lambda lambdaOrNull() {
    int start = at;
    boolean brackets = skip("(");
    List<String> parameters = new ArrayList<>();
    while (peekWord(0)) {
      parameters.add(word());
      if (!brackets || !skip(",")) {
        break;
      }
    }
    if ((brackets && !skip(")")) || !skip("->")) {
      at = start;
      return null;
    }
    return new Lambda(parameters, brackets, expression());
  }

  private Expression infix(int level) {
    if (level == INFIX.size()) {
      return prefix();
    }
    Expression first = infix(level + 1);
    if (level == COMPARISON && skip("instanceof")) {
      if (peek("final")) {
        throw new Unknown();
      }
      TypeName type = type();
      return new TypeTest(first, type, peekWord(0) ? word() : "");
    }
    List<Expression> operands = new ArrayList<>(List.of(first));
    List<String> operators = new ArrayList<>();
    while (!atEnd()
        && tokens.get(at).kind() == Token.Kind.SIGN
        && INFIX.get(level).contains(tokens.get(at).text())) {
      operators.add(tokens.get(at++).text());
      if (peek(">") || peek("<")) {
        throw new Unknown();
      }
      operands.add(infix(level + 1));
    }
    return operators.isEmpty() ? first : new Infix(operands, operators);
  }

  private Expression prefix() {
    deeper();
    Expression read = null;
    for (String operator : List.of("!", "-", "+", "~", "++", "--")) {
      if (read == null && skip(operator)) {
        if (peek("-") || peek("+") || peek("++") || peek("--")) {
          throw new Unknown();
        }
        read = new Prefix(operator, prefix());
      }
    }
    if (read == null && peek("(")) {
      read = castOrNull();
    }
    if (read == null) {
      read = chain();
    }
    depth--;
    return read;
  }

  private @Nullable Cast castOrNull() {
    int start = at;
    expect("(");
    TypeName type = typeOrNull();
    if (type == null || !skip(")") || atEnd()) {
      at = start;
      return null;
    }
    boolean primitive = type.name() instanceof Word name && PRIMITIVES.contains(name.text());
    Token next = tokens.get(at);
    boolean operand =
        next.kind() == Token.Kind.LITERAL
            || (next.kind() == Token.Kind.WORD && !next.is("instanceof"))
            || next.is("(")
            || next.is("!")
            || (primitive && (next.is("-") || next.is("+")));
    if (!operand) {
      at = start;
      return null;
    }
    Lambda lambda = lambdaOrNull();
    return new Cast(type, lambda == null ? prefix() : lambda);
  }

  private Expression chain() {
    Expression read = primary();
    while (true) {
      if (skip(".")) {
        List<TypeName> types = peek("<") ? typeArguments() : List.of();
        String name = word();
        read = peek("(") ? new Call(read, types, name, arguments()) : new Select(read, name);
        if (!types.isEmpty() && read instanceof Select) {
          throw new Unknown();
        }
      } else if (skip("::")) {
        read = new MethodReference(read, word());
      } else if (peek("[") || peek("{") || peek("++") || peek("--")) {
        throw new Unknown();
      } else {
        return read;
      }
    }
  }

  private Expression primary() {
    if (skip("(")) {
      Expression inner = expression();
      expect(")");
      return new Parenthesized(inner);
    }
    if (skip("new")) {
      TypeName type = type();
      return new Creation(type, arguments());
    }
    TypeName generic = genericBeforeReference();
    if (generic != null) {
      return generic;
    }
    if (atEnd()) {
      throw new Unknown();
    }
    Token token = tokens.get(at);
    if (token.kind() == Token.Kind.LITERAL) {
      at++;
      return new Word(token.text(), false);
    }
    String name = word();
    if (name.equals("switch")) {
      throw new Unknown();
    }
    return peek("(") ? new Call(null, List.of(), name, arguments()) : new Word(name, true);
  }

  /** {@code List<String>::new}, {@code byte[]::new}, {@code byte[].class} */
  private @Nullable TypeName genericBeforeReference() {
    if (!peekWord(0)) {
      return null;
    }
    int start = at;
    TypeName type = typeOrNull();
    if (type != null
        && !(type.arguments().isEmpty() && type.dimensions().isEmpty())
        && (peek("::") || peek(1, "class"))) {
      return type;
    }
    at = start;
    return null;
  }

  private List<Expression> arguments() {
    expect("(");
    List<Expression> arguments = new ArrayList<>();
    if (skip(")")) {
      return arguments;
    }
    do {
      arguments.add(expression());
    } while (skip(","));
    expect(")");
    return arguments;
  }
}
