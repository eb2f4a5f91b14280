package dev.reprise.smithy.doc;

import dev.reprise.common.text.HarmlessText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.Parser;
import org.jsoup.select.NodeFilter;
import org.jsoup.select.NodeTraversor;
import org.jspecify.annotations.Nullable;

/** Walks HTML and writes the few forms of it that a comment in Java needs; the rest is text. */
final class DocBody implements NodeFilter {
  /** Deeper lists continue the one around them: indents would leave no room for text. */
  private static final int MAX_LISTS = 3;

  /** Deeper elements are flattened. */
  private static final int MAX_DEPTH = 200;

  private static final Set<String> LISTS = Set.of("ul", "ol", "dl", "menu", "dir");
  private static final Set<String> ITEMS = Set.of("li", "dt");
  private static final Set<String> CODE = Set.of("code", "tt", "samp", "kbd");
  private static final Set<String> INVISIBLE =
      Set.of("script", "style", "template", "head", "title", "iframe", "noscript", "object");

  private static final Set<String> BLOCKS =
      Set.of(
          "p",
          "div",
          "note",
          "important",
          "fullname",
          "section",
          "h1",
          "h2",
          "h3",
          "h4",
          "h5",
          "h6",
          "blockquote",
          "table",
          "caption",
          "tr",
          "dd",
          "br",
          "hr",
          "body",
          "figure");

  private static final Set<String> CELLS = Set.of("td", "th");

  private static final Map<String, String> MARKS =
      Map.of("a", "</a>", "em", "</em>", "i", "</em>", "strong", "</strong>", "b", "</strong>");

  private static final Pattern LINK =
      Pattern.compile("(?:https?://|mailto:)[\\w.~:/?#\\[\\]@!$&'()+,;=%-]+");

  private static final Pattern BEYOND_ASCII = Pattern.compile("[^\\x00-\\x7f]+");

  private final DocWriter out;
  private final DocParagraph paragraph = new DocParagraph();
  private final Deque<OpenList> lists = new ArrayDeque<>();
  private int ignoredLists;
  // Each kind of mark is written once, however often it is nested in itself.
  private final Map<String, Element> marks = new HashMap<>();
  // The outermost element that says code and has blocks in it: all in it is text.
  private @Nullable Element notCode;

  DocBody(DocWriter out) {
    this.out = out;
  }

  private static final class OpenList {
    // The comment begins with it, which google-java-format would set off from the comment's mark by
    // two blank lines. Its items are paragraphs.
    private final boolean plain;
    private boolean written;
    private boolean inItem;
    private boolean newItem = true;
    private boolean firstOfItem;

    OpenList(boolean plain) {
      this.plain = plain;
    }
  }

  void write(String html) {
    Parser parser = Parser.htmlParser().setMaxDepth(MAX_DEPTH);
    NodeTraversor.filter(this, parser.parseInput(html, "").body());
    endParagraph();
  }

  @Override
  public FilterResult head(Node node, int depth) {
    if (node instanceof TextNode text) {
      paragraph.text(clean(text.getWholeText()));
    }
    if (!(node instanceof Element element)) {
      return FilterResult.CONTINUE;
    }
    String name = element.normalName();
    if (INVISIBLE.contains(name)) {
      return FilterResult.SKIP_ENTIRELY;
    }
    if (name.equals("pre")) {
      preformatted(clean(element.wholeText()));
      return FilterResult.SKIP_ENTIRELY;
    }
    if (CODE.contains(name) && notCode == null) {
      if (element.stream().noneMatch(DocBody::isBlock)) {
        paragraph.code(clean(element.wholeText()));
        return FilterResult.SKIP_ENTIRELY;
      }
      notCode = element;
    }
    if (LISTS.contains(name)) {
      openList();
    } else if (ITEMS.contains(name)) {
      endParagraph();
      if (!lists.isEmpty()) {
        lists.getLast().newItem = true;
      }
    } else if (isBlock(element)) {
      endParagraph();
    } else if (CELLS.contains(name)) {
      paragraph.space();
    } else {
      startMark(name, element);
    }
    return FilterResult.CONTINUE;
  }

  @Override
  public FilterResult tail(Node node, int depth) {
    if (node instanceof Element element) {
      String name = element.normalName();
      if (LISTS.contains(name)) {
        closeList();
      } else if (isBlock(element)) {
        endParagraph();
      }
      String end = MARKS.get(name);
      if (end != null && marks.remove(end, element)) {
        paragraph.end(end);
      }
      if (element.equals(notCode)) {
        notCode = null;
      }
    }
    return FilterResult.CONTINUE;
  }

  private static boolean isBlock(Element element) {
    String name = element.normalName();
    return BLOCKS.contains(name) || LISTS.contains(name) || ITEMS.contains(name);
  }

  private void startMark(String name, Element element) {
    String end = MARKS.get(name);
    String target = inAscii(element.attr("href"));
    boolean link = name.equals("a");
    if (end == null || (link && !LINK.matcher(target).matches())) {
      return;
    }
    if (marks.putIfAbsent(end, element) == null) {
      String start =
          link ? "<a href=\"" + target.replace("&", "&amp;") + "\">" : end.replace("/", "");
      paragraph.start(start, end);
    }
  }

  /** Returns an address with its letters beyond ASCII as a browser sends them. */
  private static String inAscii(String address) {
    return BEYOND_ASCII
        .matcher(address)
        .replaceAll(letters -> URLEncoder.encode(letters.group(), StandardCharsets.UTF_8));
  }

  private void openList() {
    endParagraph();
    if (lists.size() == MAX_LISTS) {
      ignoredLists++;
    } else {
      lists.addLast(new OpenList(out.isEmpty()));
    }
  }

  private void closeList() {
    endParagraph();
    if (ignoredLists > 0) {
      ignoredLists--;
      return;
    }
    OpenList list = lists.removeLast();
    if (list.written) {
      out.closeItem();
      out.closeList();
    }
  }

  private void endParagraph() {
    List<DocWriter.Piece> pieces = paragraph.take();
    if (!pieces.isEmpty()) {
      out.paragraph(pieces, !startsItem());
    }
  }

  private void preformatted(String text) {
    endParagraph();
    List<String> lines = new ArrayList<>(text.stripTrailing().stripIndent().lines().toList());
    while (!lines.isEmpty() && lines.get(0).isBlank()) {
      lines.remove(0);
    }
    if (lines.isEmpty()) {
      return;
    }
    if (out.isEmpty()) {
      // As above: what begins a comment is a paragraph.
      paragraph.code(text);
      endParagraph();
      return;
    }
    startsItem();
    String content = String.join("\n", lines);
    if (DocParagraph.isPlainCode(content)) {
      out.preformatted("<pre>{@code", lines, "}</pre>");
    } else {
      out.preformatted("<pre>", DocParagraph.escaped(content).lines().toList(), "</pre>");
    }
  }

  /** Opens the lists and items that wait for text; returns whether this is the item's first. */
  private boolean startsItem() {
    boolean first = false;
    for (OpenList list : lists) {
      if (list.plain) {
        continue;
      }
      if (!list.written) {
        out.openList();
        list.written = true;
      }
      if (list.newItem) {
        if (list.inItem) {
          out.closeItem();
        }
        out.openItem();
        list.inItem = true;
        list.newItem = false;
        list.firstOfItem = true;
      }
      first = list.firstOfItem;
      list.firstOfItem = false;
    }
    return first;
  }

  /**
   * Leaves out what could not be seen, or would make other text look different: controls, marks of
   * direction, halves of characters. White space becomes spaces and newlines.
   */
  private static String clean(String text) {
    StringBuilder clean = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (c == '\n') {
                clean.append('\n');
              } else if (c == '\t') {
                clean.append("    ");
              } else if (Character.isWhitespace(c) || Character.isSpaceChar(c)) {
                clean.append(' ');
              } else if (!HarmlessText.isHarmful(c)) {
                clean.appendCodePoint(c);
              }
            });
    return clean.toString();
  }
}
