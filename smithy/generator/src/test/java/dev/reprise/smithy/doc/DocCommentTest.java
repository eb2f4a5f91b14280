package dev.reprise.smithy.doc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.smithy.Javac;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DocCommentTest {
  private static final int WIDTH = 98;

  /** What documentation is made of at its worst; random texts are joined from these. */
  private static final List<String> FRAGMENTS =
      List.of(
          "word",
          "a longer line of words that fills the line, ",
          " ",
          " ",
          " ",
          "\n",
          "\n\n",
          "\r\n",
          "\t",
          "*/",
          "/*",
          "*",
          "/",
          "**",
          "_",
          "`",
          "``",
          "```\n",
          "{",
          "}",
          "{@code ",
          "{@link Evil}",
          "@deprecated ",
          "\n@param x y\n",
          "@",
          "\\",
          "\\u002a/",
          "\\u",
          "u",
          "<p>",
          "</p>",
          "<ul>",
          "</ul>",
          "<li>",
          "</li>",
          "<ol>",
          "</ol>",
          "<dl>",
          "<dt>",
          "<dd>",
          "</dl>",
          "<code>",
          "</code>",
          "<pre>",
          "</pre>",
          "<b>",
          "</b>",
          "<i>",
          "</i>",
          "<em>",
          "</em>",
          "<note>",
          "</note>",
          "<important>",
          "<a href=\"https://example.com/?a=b&c=d\">",
          "</a>",
          "<a href='javascript:alert(1)'>",
          "[x](http://example.com/y_(z))",
          "![i](j.png)",
          "<https://example.com>",
          "<table>",
          "<tr>",
          "<td>",
          "</table>",
          "<br/>",
          "<script>",
          "</script>",
          "<style>",
          "<!--",
          "-->",
          "<![CDATA[",
          "&",
          "&amp;",
          "&lt;",
          "&#42;&#47;",
          "&#x202e;",
          "&nbsp;",
          "<",
          ">",
          "\u0000",
          "\u0007",
          "\u001b[31m",
          "\u202e",
          "\u2066",
          "\u2028",
          "\ud800",
          "\udc00",
          "Zürich",
          "東京",
          "🚲",
          "- item\n",
          "1. one\n",
          "# Head\n",
          "> quote\n",
          "    indented\n",
          "---\n",
          "===\n",
          "| a | b |\n",
          "x".repeat(120),
          "<p",
          "<a href=",
          "href=\"x\">",
          "</p",
          "<h1>",
          "</h1>",
          "<fullname>",
          "<textarea>",
          "<select>",
          "<svg>",
          "<math>",
          "<!DOCTYPE html>",
          "<?php ?>",
          "<li>{",
          "}</li>",
          "<frameset>",
          "</body>");

  @Test
  void anEmptyTextHasNoComment() {
    assertThat(DocComment.lines("", List.of(), List.of(), WIDTH)).isEmpty();
    assertThat(DocComment.lines(" <p> </p>\n", List.of(), List.of(), WIDTH)).isEmpty();
  }

  @Test
  void oneShortSentenceIsOneLine() {
    assertThat(lines("The city is not *known*."))
        .containsExactly("/** The city is not <em>known</em>. */");
  }

  @Test
  void aLineThatJustFitsIsOneLineAndOneLongerIsNot() {
    String fits = "x".repeat(WIDTH - "/**  */".length());

    assertThat(lines(fits)).containsExactly("/** " + fits + " */");
    assertThat(lines(fits + "x")).containsExactly("/**", " * " + fits + "x", " */");
  }

  @Test
  void paragraphsListsLinksAndMarksAreKept() {
    assertThat(
            lines(
                "<p>The request was <b>refused</b>.</p>\n   <note><p>Ask <a"
                    + " href=\"https://example.com/a?b=c&amp;d\">us</a>.</p></note> <ul> <li> <p>"
                    + " <code>SLOW</code> - <i>slow</i> </p> <p>Very.</p> </li> <li>Off<ol><li>now"
                    + " </ol></ul> After."))
        .containsExactly(
            "/**",
            " * The request was <strong>refused</strong>.",
            " *",
            " * <p>Ask <a href=\"https://example.com/a?b=c&amp;d\">us</a>.",
            " *",
            " * <ul>",
            " *   <li>{@code SLOW} - <em>slow</em>",
            " *       <p>Very.",
            " *   <li>Off",
            " *       <ul>",
            " *         <li>now",
            " *       </ul>",
            " * </ul>",
            " *",
            " * <p>After.",
            " */");
  }

  @Test
  void paragraphsAndTagsFollow() {
    assertThat(
            DocComment.lines(
                "A city.",
                List.of("It may be retried."),
                List.of("@return the city, which has a name", "@throws X if"),
                40))
        .containsExactly(
            "/**",
            " * A city.",
            " *",
            " * <p>It may be retried.",
            " *",
            " * @return the city, which has a name",
            " * @throws X if",
            " */");
    assertThat(
            DocComment.lines(
                "", List.of(), List.of("@return the city that has this long name"), 40))
        .containsExactly("/**", " * @return the city that has this long", " *     name", " */");
    assertThat(DocComment.lines("", List.of("It may be retried."), List.of(), 40))
        .containsExactly("/** It may be retried. */");
  }

  @Test
  void codeKeepsItsFormIfJavadocLeavesItAlone() {
    assertThat(lines("Use `List<String>` or `{a: {b}}`."))
        .containsExactly("/** Use {@code List<String>} or {@code {a: {b}}}. */");
    assertThat(lines("Use `}{`, `*/`, `@Evil`, `\\u002a/`."))
        .containsExactly(
            "/** Use <code>}{</code>, <code>*&#47;</code>, <code>&#64;Evil</code>,"
                + " <code>&#92;u002a/</code>. */");
    assertThat(lines("So:\n\n```\nif (a < b) {\n\n    c();\n}\n```\n"))
        .containsExactly(
            "/**",
            " * So:",
            " *",
            " * <pre>{@code",
            " * if (a < b) {",
            " *",
            " *     c();",
            " * }",
            " * }</pre>",
            " */");
  }

  @Test
  void nothingEndsTheCommentOrIsATag() {
    assertThat(lines("a \\*/ b /\\* c \\u002a/ {@link Evil} @deprecated x@y.z *<b>/</b>"))
        .containsExactly(
            "/** a *&#47; b /&#42; c &#92;u002a/ {&#64;link Evil} &#64;deprecated x@y.z"
                + " *<strong>/</strong> */");
    assertThat(lines("a\n@deprecated b")).containsExactly("/** a &#64;deprecated b */");
    assertThat(lines("<p><b>*</b><span>*</span><span>/</span></p>"))
        .containsExactly("/** <strong>*</strong>*&#47; */");
  }

  @Test
  void scriptsAndTargetsThatRunThemAreLeftOut() {
    assertThat(lines("a<script>alert(1)</script> <a href='javascript:x'>b</a> [c](javascript:x)"))
        .containsExactly("/** a b c */");
    assertThat(lines("<a href=\"https://x/*/\">y</a>")).containsExactly("/** y */");
  }

  @Test
  void whatCannotBeSeenIsLeftOut() {
    assertThat(lines("a\u0000b\u202ec\u2066d&#x202e;e\u001bf\ufeffg Zürich 東京 🚲 h&nbsp;i"))
        .containsExactly("/** a&#65533;bcdefg Z&#252;rich &#26481;&#20140; &#128690; h i */");
  }

  @Test
  void whatIsBeyondAsciiIsWrittenInAscii() {
    assertThat(lines("Zürich *東京* 👩‍🚀 é@x"))
        .containsExactly(
            "/** Z&#252;rich <em>&#26481;&#20140;</em> &#128105;&#8205;&#128640; &#233;&#64;x */");
    assertThat(lines("Use `né<T>` or `{ok}`."))
        .containsExactly("/** Use <code>n&#233;&lt;T&gt;</code> or {@code {ok}}. */");
    assertThat(lines("So:\n\n```\nif (a < 'é') {\n}\n```\n"))
        .containsExactly(
            "/**",
            " * So:",
            " *",
            " * <pre>",
            " * if (a &lt; '&#233;') {",
            " * }",
            " * </pre>",
            " */");
    assertThat(lines("[é](https://x/Zürich/東?ö=%20#🚲)"))
        .containsExactly(
            "/** <a href=\"https://x/Z%C3%BCrich/%E6%9D%B1?%C3%B6=%20#%F0%9F%9A%B2\">&#233;</a>"
                + " */");
  }

  @Test
  void aCommentThatBeginsWithAListBeginsWithParagraphs() {
    assertThat(lines("- a\n- b\n\nc"))
        .containsExactly("/**", " * a", " *", " * <p>b", " *", " * <p>c", " */");
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "<div>",
        "<ul><li>",
        "<b>",
        "<code>",
        "<a href='https://x'>",
        "<dl><dd>",
        "<pre>",
        "> ",
        "- ",
        "*a ",
        "[",
        "![",
        "(",
        "`",
        "<",
        "&",
        "{",
        "{@code ",
        "<p",
        "**a *b ",
        "<li>",
        "</p>",
        "\\",
        "_ *",
        "<!--",
        "]",
        "[a](",
        "<table><tr><td>",
        "<svg>",
        "<em><strong>",
        "<select>",
        "<button>",
        "<nobr>"
      })
  void nestingAsDeepAsTheTextIsLongIsWritten(String mark) {
    String text = "before " + mark.repeat(100_000) + " after";

    List<String> lines = lines(text);

    assertThat(lines).isNotEmpty();
    assertThat(String.join("\n", lines)).startsWith("/**").endsWith("*/").contains("before");
  }

  @Test
  @Tag("slow")
  void randomTextsAreFormattedAndCleanToJavac() {
    Random random = new Random(20_261_121);
    for (int round = 0; round < 40; round++) {
      StringBuilder source = new StringBuilder("package p;\n\nclass C {\n");
      for (int field = 0; field < 25; field++) {
        String text =
            random
                .ints(1 + random.nextInt(25), 0, FRAGMENTS.size())
                .mapToObj(FRAGMENTS::get)
                .collect(Collectors.joining());
        List<String> paragraphs =
            random.nextBoolean() ? List.of("It may be {@code x y}.") : List.of();
        List<String> tags = random.nextInt(4) == 0 ? List.of("@see Object") : List.of();
        source.append(field == 0 ? "" : "\n");
        DocComment.lines(text, paragraphs, tags, WIDTH)
            .forEach(line -> source.append(("  " + line).stripTrailing()).append('\n'));
        source.append("  int f").append(field).append(";\n");
      }
      source.append("}\n");
      assertThat(source.chars()).allMatch(c -> c < 127);
      assertThat(Javac.complaints(source.toString())).isEmpty();
    }
  }

  private static List<String> lines(String text) {
    return DocComment.lines(text, List.of(), List.of(), WIDTH);
  }
}
