package dev.reprise.bench.smithy;

import dev.reprise.core.RetryInfo;
import dev.reprise.smithy.runtime.HttpError;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles sources in memory against the core and the runtime alone, with every warning on and each
 * of them an error. Not thread-safe.
 */
final class WarningFreeCompiler implements AutoCloseable {
  private static final List<String> OPTIONS =
      List.of("-Xlint:all", "-Werror", "-proc:none", "--release", "17");

  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  private final StandardJavaFileManager files;

  WarningFreeCompiler() throws IOException {
    files = compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);
    files.setLocation(
        StandardLocation.CLASS_PATH,
        List.of(classesOf(RetryInfo.class), classesOf(HttpError.class)));
  }

  private static File classesOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toFile();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(type + " is at no place that can be named", e);
    }
  }

  /** Returns the faults of the sources, one line for each; empty when there are none. */
  String compile(Map<String, String> sources) {
    if (sources.isEmpty()) {
      return "";
    }
    List<JavaFileObject> units = new ArrayList<>();
    sources.forEach((path, text) -> units.add(new Source(path, text)));
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    boolean compiled =
        compiler.getTask(null, new Discarding(files), found, OPTIONS, null, units).call();
    String faults =
        found.getDiagnostics().stream()
            .map(WarningFreeCompiler::line)
            .collect(Collectors.joining("\n"));
    return compiled || !faults.isEmpty() ? faults : "javac failed and did not say why";
  }

  private static String line(Diagnostic<? extends JavaFileObject> fault) {
    String file = fault.getSource() == null ? "" : fault.getSource().getName();
    return file + ":" + fault.getLineNumber() + ": " + fault.getMessage(Locale.ROOT);
  }

  @Override
  public void close() throws IOException {
    files.close();
  }

  /** A source in memory. */
  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String path, String text) {
      super(URI.create("memory:///" + path), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Whoever asks whether something compiles does not need the classes. */
  private static final class Discarding extends ForwardingJavaFileManager<JavaFileManager> {
    Discarding(JavaFileManager files) {
      super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("memory:///" + className), kind) {
        @Override
        public OutputStream openOutputStream() {
          return OutputStream.nullOutputStream();
        }
      };
    }
  }
}
