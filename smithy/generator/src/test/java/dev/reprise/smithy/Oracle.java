package dev.reprise.smithy;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import java.net.URI;
import java.util.List;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** What google-java-format and javac say about a source. */
public final class Oracle {
  private static final Formatter FORMATTER = new Formatter(JavaFormatterOptions.defaultOptions());

  private Oracle() {}

  public static String formatted(String source) {
    try {
      return FORMATTER.formatSource(source);
    } catch (FormatterException refused) {
      throw new AssertionError("not Java:\n" + source, refused);
    }
  }

  /** Returns what javac says about the class C, all its warnings and those of javadoc included. */
  public static List<String> complaints(String source) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    List<String> options =
        List.of(
            "-proc:none",
            "-Xlint:all",
            "-Xdoclint:html,syntax,reference,accessibility",
            "-d",
            System.getProperty("java.io.tmpdir"),
            "-implicit:none",
            "-XDshould-stop.ifNoError=FLOW");
    compiler.getTask(null, null, found, options, null, List.of(new Source(source))).call();
    return found.getDiagnostics().stream().map(Object::toString).toList();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///p/C.java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
