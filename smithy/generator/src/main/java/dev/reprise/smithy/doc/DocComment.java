package dev.reprise.smithy.doc;

import java.util.List;
import java.util.regex.Pattern;

/** Turns the documentation of a model, CommonMark with HTML in it, into lines of Javadoc. */
public final class DocComment {
  private DocComment() {}

  /**
   * Returns the lines of a Javadoc comment, without indent: from {@code /**} to the end mark.
   *
   * @param documentation the model's text; may be empty
   * @param paragraphs further paragraphs, each one line of Javadoc HTML that is written by us
   * @param tags block tags, such as {@code @return the city}
   * @param width how many columns a line may have, from 40
   */
  public static List<String> lines(
      String documentation, List<String> paragraphs, List<String> tags, int width) {
    DocWriter out = new DocWriter(width);
    String normal = documentation.replace("\r\n", "\n").replace('\r', '\n');
    new DocBody(out).write(CommonMarkHtml.of(normal));
    paragraphs.forEach(paragraph -> out.paragraph(words(paragraph), true));
    tags.forEach(tag -> out.tag(words(tag)));
    return out.comment();
  }

  private static List<DocWriter.Piece> words(String text) {
    return Pattern.compile(" ")
        .splitAsStream(text)
        .map(word -> new DocWriter.Piece(word, true))
        .toList();
  }
}
