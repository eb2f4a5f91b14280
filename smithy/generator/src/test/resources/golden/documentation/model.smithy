$version: "2"

namespace example.documentation

/// Has *CommonMark* with `code`, **strong words**, a [link](https://example.com/a?b=c&d=e) and
/// an end of a comment: */ and a unicode escape: \u002a/ which Java would read.
///
/// A second paragraph, with an @author, a {@link java.lang.String} and an unbalanced `{ brace`.
///
/// * one
/// * two, which is much longer than a line may be, so that it has to be broken somewhere near its end
///
/// ```
/// code {
///   @Override
/// }
/// ```
///
/// <script>alert(1)</script> 1 < 2 && 3 > 2
@error("client")
structure Documented {
    /// <p>Paragraphs of HTML.</p><note><p>With a note.</p></note><ul><li><p>First.</p></li><li>Second</ul>
    html: String

    /// Short.
    short: String

    @deprecated(message: "use html", since: "2.0")
    old: String

    @deprecated
    older: String

    target: Described
}

/// Said of the shape, for its members have no words of their own.
string Described
