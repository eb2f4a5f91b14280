package dev.reprise.smithy;

import java.net.URI;
import java.util.List;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Asks javac what it says about a source. */
public final class Javac {
  private Javac() {}

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
