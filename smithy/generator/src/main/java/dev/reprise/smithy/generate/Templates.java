package dev.reprise.smithy.generate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The files that are the same whatever the model. */
final class Templates {
  static final String HTTP_ERROR = "HttpError";
  static final String UNMODELED = "UnmodeledHttpError";
  static final String RESPONSE = "ErrorResponse";
  static final String JSON = "JsonValue";
  static final String BLOB = "Blob";

  /** What only those need that read responses. */
  static final List<String> READING =
      List.of(UNMODELED, RESPONSE, JSON, "JsonReader", "JsonTape", "JsonMembers", "JsonNumber");

  private static final String PACKAGE = "dev.reprise.smithy.template";

  private Templates() {}

  /** Returns the names of all files, generated or not: no shape's class may have one of them. */
  static List<String> names() {
    List<String> names = new ArrayList<>(READING);
    names.add(HTTP_ERROR);
    names.add(BLOB);
    return List.copyOf(names);
  }

  /** Returns a file as it stands in a package: without the annotations of our own checks. */
  static String file(String name, String header, String packageName) {
    String source =
        source(name)
            .replace("import org.jspecify.annotations.Nullable;\n", "")
            .replace(" @Nullable []", "[]")
            .replace("@Nullable ", "");
    return header
        + "\n"
        + source.replaceFirst("(?m)^package [^;]+;", "package " + packageName + ";");
  }

  private static String source(String name) {
    String path = "/" + PACKAGE.replace('.', '/') + "/" + name + ".java";
    try (InputStream in = Templates.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("the plugin's jar lacks " + path);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + path, e);
    }
  }
}
