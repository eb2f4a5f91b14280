package dev.reprise.server.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The files of the console: its page, its own modules and styles, and the libraries that they
 * import. Each is read and compressed once, when it is first asked for. Safe for use by many
 * threads.
 */
public final class ConsoleFiles {
  /** The folder of URLs of everything but the page. */
  public static final String FOLDER = "/console";

  private static final String BASE = "${base}";
  private static final String IMPORT_MAP = "${import-map}";
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");
  private static final Map<String, String> TYPES =
      Map.of(
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml");

  /** The libraries: a module's name, or the beginning of names, and where that is in which jar. */
  private static final List<Library> LIBRARIES =
      List.of(
          new Library("lit", "lit", "index.js"),
          new Library("lit/", "lit", ""),
          new Library("lit-html", "lit-html", "lit-html.js"),
          new Library("lit-html/", "lit-html", ""),
          new Library("lit-element/", "lit-element", ""),
          new Library("@lit/reactive-element", "lit__reactive-element", "reactive-element.js"),
          new Library("chart.js", "chart.js", "dist/chart.umd.min.js"));

  private final Map<String, StaticFile> files = new ConcurrentHashMap<>();
  private final Map<String, String> versions = new LinkedHashMap<>();

  /** The page by the depth of its URL. */
  private final Map<Integer, StaticFile> pages = new ConcurrentHashMap<>();

  private final String html;
  private final String policy;

  private record Library(String module, String jar, String file) {}

  /** Reads the page, and the versions of the libraries. */
  public ConsoleFiles() {
    for (Library library : LIBRARIES) {
      versions.computeIfAbsent(library.jar(), ConsoleFiles::version);
    }
    String imports =
        LIBRARIES.stream()
            .map(library -> '"' + library.module() + "\":\"" + url(library) + '"')
            .collect(Collectors.joining(",", "{\"imports\":{", "}}"));
    byte[] source = resource("/dev/reprise/server/console/index.html");
    if (source == null) {
      throw new IllegalStateException("index.html is not in the jar");
    }
    String filled = new String(source, UTF_8).replace(IMPORT_MAP, imports);
    for (Library library : LIBRARIES) {
      filled = filled.replace("${" + library.jar() + "}", url(library.jar()));
    }
    html = filled;
    policy =
        "default-src 'none'; script-src 'self' "
            + StaticFile.policyHash(imports.getBytes(UTF_8))
            + "; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self';"
            + " frame-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";
  }

  /**
   * The one page, which shows whatever its URL says. All its URLs are relative to its base, which
   * is where the service begins as the browser sees it: a proxy may have put that below a path.
   *
   * @param depth how many folders of the service its URL is in: 0 for {@code /topics}
   */
  public StaticFile page(int depth) {
    return pages.computeIfAbsent(depth, this::based);
  }

  private StaticFile based(int depth) {
    String base = depth == 0 ? "./" : "../".repeat(depth);
    return StaticFile.of(
        "text/html; charset=utf-8", html.replace(BASE, base).getBytes(UTF_8), false);
  }

  /** The content security policy of the page. */
  public String policy() {
    return policy;
  }

  /**
   * Returns one of the console's own files.
   *
   * @param folder such as {@code pages}; empty for none
   * @return null if there is no such file
   */
  public @Nullable StaticFile own(String folder, String name) {
    if (!isName(name) || !(folder.isEmpty() || isName(folder))) {
      return null;
    }
    String path = folder.isEmpty() ? name : folder + "/" + name;
    return file("/dev/reprise/server/console/" + path, name, false);
  }

  /**
   * Returns a file of a library.
   *
   * @param folder in the library; empty for none
   * @return null if there is no such file, or not of this version
   */
  public @Nullable StaticFile ofLibrary(String jar, String version, String folder, String name) {
    if (!version.equals(versions.get(jar)) || !isName(name)) {
      return null;
    }
    String path = folder.isEmpty() ? name : folder + "/" + name;
    return file(webjar(jar, version) + path, name, true);
  }

  private static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  private @Nullable StaticFile file(String path, String name, boolean versioned) {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null) {
      return null;
    }
    StaticFile known = files.get(path);
    if (known != null) {
      return known;
    }
    byte[] bytes = resource(path);
    if (bytes == null) {
      return null;
    }
    StaticFile read = StaticFile.of(type, bytes, versioned);
    files.put(path, read);
    return read;
  }

  private String url(Library library) {
    return url(library.jar()) + library.file();
  }

  private String url(String jar) {
    return "." + FOLDER + "/library/" + jar + "/" + versions.get(jar) + "/";
  }

  private static String webjar(String jar, String version) {
    return "/META-INF/resources/webjars/" + jar + "/" + version + "/";
  }

  private static String version(String jar) {
    byte[] bytes = resource("/META-INF/maven/org.webjars.npm/" + jar + "/pom.properties");
    if (bytes == null) {
      throw new IllegalStateException("the library " + jar + " is not on the class path");
    }
    Properties properties = new Properties();
    try (InputStream in = new ByteArrayInputStream(bytes)) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }

  private static byte @Nullable [] resource(String path) {
    try (InputStream in = ConsoleFiles.class.getResourceAsStream(path)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
