package dev.reprise.smithy.layout;

import static dev.reprise.smithy.layout.Layout.Fill.ALL;
import static dev.reprise.smithy.layout.Layout.Fill.WHEN_FULL;

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
import java.util.List;
import java.util.regex.Pattern;

/** Where google-java-format breaks types and expressions. */
final class ExpressionLayout {
  /** Shorter items fill lines; of others, each has its own. */
  private static final int SHORT_ITEM = 10;

  private static final Pattern FORMAT = Pattern.compile("%|\\{[0-9]\\}");

  private final Layout out;
  // Every break is flat in the end: which kind they are, and so how wide their items, is not asked.
  private final boolean flat;
  private final ChainLayout chains;

  ExpressionLayout(Layout out) {
    this(out, false);
  }

  private ExpressionLayout(Layout out, boolean flat) {
    this.out = out;
    this.flat = flat;
    this.chains = new ChainLayout(out, this);
  }

  void write(Expression expression) {
    if (expression instanceof Word word) {
      out.text(word.text());
    } else if (expression instanceof TypeName type) {
      type(type);
    } else if (expression instanceof Select || expression instanceof Call) {
      chains.write(expression);
    } else if (expression instanceof Creation creation) {
      out.open(0);
      out.text("new ");
      write(creation.type());
      arguments(creation.arguments(), () -> out.open(4));
      out.close();
    } else if (expression instanceof Infix infix) {
      infix(infix);
    } else if (expression instanceof Prefix prefix) {
      out.text(prefix.operator());
      write(prefix.operand());
    } else if (expression instanceof Parenthesized parenthesized) {
      out.text("(");
      write(parenthesized.inner());
      out.text(")");
    } else if (expression instanceof Lambda lambda) {
      lambda(lambda);
    } else {
      out.open(4);
      indented(expression);
      out.close();
    }
  }

  private void indented(Expression expression) {
    if (expression instanceof Cast cast) {
      out.text("(");
      write(cast.type());
      out.text(")");
      out.breakable(ALL, " ");
      write(cast.operand());
    } else if (expression instanceof TypeTest test) {
      typeTest(test);
    } else if (expression instanceof Choice choice) {
      write(choice.condition());
      out.breakable(ALL, " ");
      out.text("? ");
      write(choice.yes());
      out.breakable(ALL, " ");
      out.text(": ");
      write(choice.no());
    } else if (expression instanceof Assignment assignment) {
      write(assignment.variable());
      out.text(" " + assignment.operator());
      out.breakable(ALL, " ");
      write(assignment.value());
    } else if (expression instanceof MethodReference reference) {
      write(reference.qualifier());
      out.breakable(ALL, "");
      out.text("::" + reference.name());
    }
  }

  private void type(TypeName type) {
    if (!type.dimensions().isEmpty()) {
      out.open(4);
      undimensioned(type);
      dimensions(type);
      out.close();
    } else {
      undimensioned(type);
    }
  }

  /** Writes the type without its dimensions. */
  void undimensioned(TypeName type) {
    TypeName bound = type.bound();
    if (bound != null) {
      out.open(0);
      out.open(4);
      write(type.name());
      out.breakable(ALL, " ");
      write(bound);
      out.close();
      out.close();
    } else if (type.arguments().isEmpty()) {
      write(type.name());
    } else if (type.arguments().get(0).name() instanceof Word word && word.text().isEmpty()) {
      write(type.name());
      out.text("<>");
    } else {
      out.open(4);
      write(type.name());
      out.text("<");
      out.breakable(ALL, "");
      out.open(0);
      list(type.arguments());
      out.close();
      out.close();
      out.text(">");
    }
  }

  void dimensions(TypeName type) {
    for (String dimension : type.dimensions()) {
      out.breakable(WHEN_FULL, "");
      out.text(dimension);
    }
  }

  /** Writes items with a comma and a break between them. */
  void list(List<? extends Expression> items) {
    list(items, ALL);
  }

  /** Writes items with a comma and a break of this kind between them. */
  void list(List<? extends Expression> items, Layout.Fill fill) {
    for (int i = 0; i < items.size(); i++) {
      if (i > 0) {
        out.text(",");
        out.breakable(fill, " ");
      }
      write(items.get(i));
    }
  }

  private void typeTest(TypeTest test) {
    write(test.operand());
    out.breakable(ALL, " ");
    out.open(0);
    out.text("instanceof");
    out.breakable(ALL, " ");
    if (test.name().isEmpty()) {
      write(test.type());
    } else {
      variable(test.type(), test.name());
    }
    out.close();
  }

  /** Writes a type and the name of what has it, the name on a line of its own if need be. */
  void variable(TypeName type, String name) {
    out.open(4);
    typeAndName(type, name);
    out.close();
  }

  /** Writes a variable and what it is set to, or runs over, after {@code sign}. */
  void variable(TypeName type, String name, String sign, Expression value) {
    out.open(4);
    Layout.Taken beforeName = typeAndName(type, name);
    out.text(" " + sign);
    out.open(4, beforeName);
    out.breakable(WHEN_FULL, " ");
    write(value);
    out.close();
    out.close();
  }

  private Layout.Taken typeAndName(TypeName type, String name) {
    Layout.Taken beforeName = new Layout.Taken();
    out.open(0);
    out.open(0);
    undimensioned(type);
    out.open(4);
    dimensions(type);
    out.close();
    out.close();
    out.breakable(WHEN_FULL, " ", beforeName);
    out.open(4, beforeName);
    out.text(name);
    out.close();
    out.close();
    return beforeName;
  }

  private void infix(Infix infix) {
    Layout.Fill fill = areShort(infix.operands()) ? WHEN_FULL : ALL;
    out.open(4);
    write(infix.operands().get(0));
    for (int i = 0; i < infix.operators().size(); i++) {
      out.breakable(fill, " ");
      out.text(infix.operators().get(i) + " ");
      write(infix.operands().get(i + 1));
    }
    out.close();
  }

  private void lambda(Lambda lambda) {
    out.open(lambda.brackets() ? 4 : 0);
    out.text(lambda.brackets() ? "(" : "");
    for (int i = 0; i < lambda.parameters().size(); i++) {
      if (i > 0) {
        out.text(",");
        out.breakable(ALL, " ");
      }
      out.text(lambda.parameters().get(i));
    }
    out.text(lambda.brackets() ? ")" : "");
    out.close();
    out.text(" ->");
    out.open(4);
    out.breakable(ALL, " ");
    write(lambda.body());
    out.close();
  }

  /** Writes arguments and their brackets, in a level that {@code open} opens. */
  void arguments(List<Expression> arguments, Runnable open) {
    open.run();
    out.text("(");
    if (!arguments.isEmpty()) {
      out.breakable(ALL, "");
      if (arguments.size() > 1 && isFormat(arguments.get(0))) {
        out.open(0);
        write(arguments.get(0));
        out.text(",");
        out.breakable(ALL, " ");
        out.open(0);
        argumentList(arguments.subList(1, arguments.size()));
        out.close();
        out.close();
      } else {
        argumentList(arguments);
      }
    }
    out.text(")");
    out.close();
  }

  private void argumentList(List<Expression> arguments) {
    out.open(0);
    list(arguments, areShort(arguments) ? WHEN_FULL : ALL);
    out.close();
  }

  private boolean areShort(List<Expression> items) {
    return items.stream().allMatch(item -> isNarrower(item, SHORT_ITEM));
  }

  /**
   * Returns whether an expression on one line has fewer columns than that. It is not asked again of
   * what is nested in the expression: the time would double with each level.
   */
  boolean isNarrower(Expression expression, int columns) {
    if (flat) {
      return true;
    }
    Layout alone = new Layout();
    new ExpressionLayout(alone, true).write(expression);
    return alone.width() < columns;
  }

  private static boolean isFormat(Expression expression) {
    if (expression instanceof Infix infix && infix.operators().get(0).equals("+")) {
      return infix.operands().stream().allMatch(ExpressionLayout::isString)
          && infix.operands().stream().anyMatch(ExpressionLayout::isFormat);
    }
    return isString(expression) && FORMAT.matcher(((Word) expression).text()).find();
  }

  private static boolean isString(Expression expression) {
    return expression instanceof Word word && word.text().startsWith("\"");
  }
}
