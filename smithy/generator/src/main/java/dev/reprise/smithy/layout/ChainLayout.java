package dev.reprise.smithy.layout;

import static dev.reprise.smithy.layout.Layout.Fill.ALL;
import static dev.reprise.smithy.layout.Layout.Fill.WHEN_FULL;

import dev.reprise.smithy.layout.Expression.Call;
import dev.reprise.smithy.layout.Expression.Select;
import dev.reprise.smithy.layout.Expression.Word;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Where google-java-format breaks names and calls that are joined by dots. */
final class ChainLayout {
  /** After a first link that is not longer than an indent, a break would win nothing. */
  private static final int SHORT_LINK = 4;

  private static final Set<String> STREAMS = Set.of("stream", "parallelStream", "toBuilder");

  private final Layout out;
  private final ExpressionLayout expressions;

  ChainLayout(Layout out, ExpressionLayout expressions) {
    this.out = out;
    this.expressions = expressions;
  }

  /** Writes {@code a.b(c).d}: what comes before the first dot decides where it is broken. */
  void write(Expression last) {
    Deque<Expression> links = new ArrayDeque<>();
    Expression at = last;
    while (at instanceof Select || at instanceof Call) {
      links.addFirst(at);
      at = base(at);
    }
    Expression start = at;
    boolean named = start instanceof Word word && word.name();
    if (start != null && named) {
      links.addFirst(start);
    }
    List<Expression> items = List.copyOf(links);
    boolean expressionFirst = start != null && !named;
    if (start != null && expressionFirst) {
      out.open(4);
      expressions.write(start);
      out.breakable(ALL, "");
    }
    TreeSet<Integer> prefixes = new TreeSet<>();
    int lastPrefix = prefixes(items, expressionFirst, prefixes);
    if (prefixes.isEmpty()) {
      links(items, expressionFirst);
    } else {
      linksAfterPrefix(items, expressionFirst, prefixes, lastPrefix);
    }
    if (expressionFirst) {
      out.close();
    }
  }

  private static @Nullable Expression base(Expression link) {
    if (link instanceof Select select) {
      return select.base();
    }
    return link instanceof Call call ? call.base() : null;
  }

  private static String name(Expression link) {
    if (link instanceof Select select) {
      return select.name();
    }
    return link instanceof Call call ? call.name() : ((Word) link).text();
  }

  /** Finds the links that stay together with what is before them; returns the last one found. */
  private static int prefixes(
      List<Expression> items, boolean expressionFirst, Set<Integer> prefixes) {
    int found = -1;
    int type = lastOfType(items);
    if (type >= 0) {
      prefixes.add(type);
      found = type;
    }
    int calls = 0;
    int firstCall = -1;
    for (int i = 0; i < items.size(); i++) {
      if (items.get(i) instanceof Call) {
        calls += i > 0 || expressionFirst ? 1 : 0;
        firstCall = firstCall < 0 ? i : firstCall;
      }
    }
    if (calls == 1 && firstCall > 0 && prefixes.add(firstCall)) {
      found = firstCall;
    }
    boolean own =
        items.get(0) instanceof Word word
            && (word.text().equals("this") || word.text().equals("super"));
    if (prefixes.isEmpty() && own) {
      prefixes.add(1);
      found = 1;
    }
    for (int i = 0; i < items.size(); i++) {
      if (items.get(i) instanceof Call call && STREAMS.contains(call.name()) && prefixes.add(i)) {
        found = i;
      }
    }
    return found;
  }

  private void links(List<Expression> items, boolean expressionFirst) {
    boolean dot = expressionFirst;
    if (!expressionFirst) {
      out.open(4);
    }
    for (int i = 0; i < items.size(); i++) {
      Expression item = items.get(i);
      if (dot) {
        boolean second = i == 1 && !expressionFirst;
        if (second ? !expressions.isNarrower(items.get(0), SHORT_LINK + 1) : i > 0) {
          out.breakable(ALL, "");
        }
        out.text(".");
      }
      boolean more = items.size() > 1;
      if (more && item instanceof Call call && isWrapper(call)) {
        out.open(0);
        out.open(0);
        out.text(call.name() + "(");
        expressions.write(call.arguments().get(0));
        out.close();
        out.text(")");
        out.close();
      } else {
        int indent = more || dot ? 4 : 0;
        link(item, () -> out.open(indent));
      }
      dot = true;
    }
    if (!expressionFirst) {
      out.close();
    }
  }

  private static boolean isWrapper(Call call) {
    return call.base() == null && call.name().length() <= 4 && call.arguments().size() == 1;
  }

  private void linksAfterPrefix(
      List<Expression> items, boolean expressionFirst, Set<Integer> prefixes, int lastPrefix) {
    boolean more = lastPrefix < items.size() - 1;
    boolean streams =
        items.stream().anyMatch(i -> i instanceof Call c && STREAMS.contains(c.name()));
    out.open(4);
    prefixes.forEach(prefix -> out.open(0));
    Deque<Integer> ahead = new ArrayDeque<>(prefixes);
    Layout.Taken beforeName = new Layout.Taken();
    for (int i = 0; i < items.size(); i++) {
      if (i > 0 || expressionFirst) {
        boolean inPrefix = !ahead.isEmpty() && i <= ahead.getFirst();
        out.breakable(inPrefix && !streams ? WHEN_FULL : ALL, "", beforeName);
        out.text(".");
      }
      boolean endsPrefix = !ahead.isEmpty() && i == ahead.getFirst();
      Runnable open = more ? () -> out.open(4) : () -> out.open(4, beforeName);
      if (items.get(i) instanceof Call call) {
        Layout.Taken beforeTypes = typeArguments(call);
        out.text(call.name());
        if (endsPrefix) {
          out.close();
          ahead.removeFirst();
        }
        out.open(4, beforeTypes);
        expressions.arguments(call.arguments(), open);
        out.close();
      } else {
        out.text(name(items.get(i)));
        if (endsPrefix) {
          out.close();
          ahead.removeFirst();
        }
      }
    }
    out.close();
  }

  private void link(Expression item, Runnable open) {
    if (item instanceof Call call) {
      Layout.Taken beforeName = typeArguments(call);
      out.text(call.name());
      out.open(4, beforeName);
      expressions.arguments(call.arguments(), open);
      out.close();
    } else {
      out.text(name(item));
    }
  }

  private Layout.Taken typeArguments(Call call) {
    Layout.Taken beforeName = new Layout.Taken();
    if (!call.types().isEmpty()) {
      out.open(4);
      out.text("<");
      out.open(0);
      expressions.list(call.types(), WHEN_FULL);
      out.close();
      out.text(">");
      out.breakable(ALL, "", beforeName);
      out.close();
    }
    return beforeName;
  }

  /**
   * Returns the last link of what looks like a type and its static member by the case of its
   * letters, such as {@code java.util.List.of}, or -1.
   */
  private static int lastOfType(List<Expression> items) {
    int last = -1;
    boolean type = false;
    boolean upper = false;
    for (int i = 0; i < items.size(); i++) {
      String name = name(items.get(i));
      boolean capital = Character.isUpperCase(firstLetter(name));
      boolean camel = capital && (name.length() == 1 || hasLowerCase(name));
      if (type && !camel) {
        return i;
      }
      if (!camel && !type) {
        boolean lower = !capital && name.chars().noneMatch(Character::isUpperCase);
        if (!capital && (!lower || upper)) {
          return last;
        }
        upper |= capital;
      }
      if (camel) {
        type = true;
        last = i;
      }
      if (items.get(i) instanceof Call) {
        return last;
      }
    }
    return last;
  }

  private static int firstLetter(String name) {
    return name.codePoints().filter(Character::isAlphabetic).findFirst().orElse('a');
  }

  private static boolean hasLowerCase(String name) {
    return name.chars().anyMatch(Character::isLowerCase);
  }
}
