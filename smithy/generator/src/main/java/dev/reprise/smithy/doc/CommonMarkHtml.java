package dev.reprise.smithy.doc;

import java.util.Set;
import org.commonmark.node.Block;
import org.commonmark.node.BlockQuote;
import org.commonmark.node.BulletList;
import org.commonmark.node.Code;
import org.commonmark.node.Emphasis;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Link;
import org.commonmark.node.ListBlock;
import org.commonmark.node.ListItem;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.node.ThematicBreak;
import org.commonmark.parser.Parser;
import org.jsoup.nodes.Entities;

/**
 * CommonMark as HTML, in a loop rather than in recursion: a hostile text may nest a hundred
 * thousand marks. Indented code is read as text: in models, an indent is that of the HTML around
 * it.
 */
final class CommonMarkHtml {
  /** Deeper quotes and lists are read as text. */
  private static final int MAX_NESTED_BLOCKS = 30;

  /** Deeper emphasis and brackets are read as text. */
  private static final int MAX_NESTED_INLINES = 100;

  private static final Set<Class<? extends Block>> BLOCKS =
      Set.of(
          BlockQuote.class,
          FencedCodeBlock.class,
          Heading.class,
          HtmlBlock.class,
          ListBlock.class,
          ThematicBreak.class);

  private static final Parser PARSER =
      Parser.builder()
          .enabledBlockTypes(BLOCKS)
          .maxOpenBlockParsers(MAX_NESTED_BLOCKS)
          .maxInlineNesting(MAX_NESTED_INLINES)
          .build();

  private CommonMarkHtml() {}

  static String of(String documentation) {
    StringBuilder html = new StringBuilder(documentation.length() + 16);
    Node root = PARSER.parse(documentation);
    Node node = root;
    boolean down = true;
    while (true) {
      if (down) {
        html.append(start(node));
      }
      Node child = down ? node.getFirstChild() : null;
      if (child != null) {
        node = child;
        continue;
      }
      html.append(end(node));
      if (node == root) {
        return html.toString();
      }
      Node next = node.getNext();
      down = next != null;
      node = next != null ? next : node.getParent();
    }
  }

  private static String start(Node node) {
    if (node instanceof Text text) {
      return Entities.escape(text.getLiteral());
    }
    if (node instanceof Code code) {
      return "<code>" + Entities.escape(code.getLiteral()) + "</code>";
    }
    if (node instanceof FencedCodeBlock code) {
      return "<pre>" + Entities.escape(code.getLiteral()) + "</pre>";
    }
    if (node instanceof HtmlInline html) {
      return html.getLiteral();
    }
    if (node instanceof HtmlBlock html) {
      return html.getLiteral() + "\n";
    }
    if (node instanceof SoftLineBreak) {
      return "\n";
    }
    if (node instanceof HardLineBreak) {
      return "<br>";
    }
    if (node instanceof Link link) {
      return "<a href=\"" + Entities.escape(link.getDestination()) + "\">";
    }
    String tag = tag(node);
    return tag.isEmpty() ? "" : "<" + tag + ">";
  }

  private static String end(Node node) {
    String tag = node instanceof Link ? "a" : tag(node);
    return tag.isEmpty() ? "" : "</" + tag + ">";
  }

  private static String tag(Node node) {
    if (node instanceof Paragraph || node instanceof Heading || node instanceof BlockQuote) {
      return "div";
    }
    if (node instanceof BulletList || node instanceof OrderedList) {
      return "ul";
    }
    if (node instanceof ListItem) {
      return "li";
    }
    if (node instanceof Emphasis) {
      return "em";
    }
    return node instanceof StrongEmphasis ? "strong" : "";
  }
}
