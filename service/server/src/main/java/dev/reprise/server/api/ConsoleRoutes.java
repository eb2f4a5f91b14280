package dev.reprise.server.api;

import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.server.console.ConsoleFiles;
import dev.reprise.server.console.StaticFile;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiFailures;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Gzip;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Router;
import dev.reprise.server.http.Routes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Serves the console. It is no part of the API, whose description does not name these paths. */
final class ConsoleRoutes {
  /** The URLs of its pages, which people share. */
  private static final List<String> PAGES =
      List.of(
          "/",
          "/sign-in",
          "/topics",
          "/topics/{topic}",
          "/subscriptions",
          "/subscriptions/{id}",
          "/subscriptions/{id}/deliveries",
          "/subscriptions/{id}/dead-letters",
          "/deliveries",
          "/deliveries/{id}",
          "/dead-letters",
          "/policies",
          "/policies/{topic}",
          "/lab",
          "/carriers");

  /** Each depth of a URL is a page that is kept. */
  private static final int MAX_DEPTH = 8;

  private static final String FOR_EVER = "public, max-age=31536000, immutable";

  private final ConsoleFiles files = new ConsoleFiles();

  /** The pages, at their URLs with and without a slash at the end. */
  List<Route> pages() {
    List<Route> routes = new ArrayList<>();
    for (String page : PAGES) {
      for (String url : page.equals("/") ? List.of(page) : List.of(page, page + "/")) {
        int depth = depth(url);
        routes.add(Routes.open(url, call -> answer(call, files.page(depth))));
      }
    }
    return routes;
  }

  /** Returns how many folders of the service a URL is in. */
  private static int depth(String path) {
    return (int) path.chars().skip(1).filter(each -> each == '/').count();
  }

  /**
   * Returns what answers the paths that there are not: to a browser with the page, which says so,
   * and to a program, or where only programs go, as the API does.
   *
   * @param others the operations beside which there are pages
   */
  Route noSuchPage(List<Route> others) {
    Set<String> ofPrograms =
        others.stream().map(route -> firstFolder(route.pattern())).collect(Collectors.toSet());
    return Routes.open(
        "/{" + Router.PATH + "}",
        call -> {
          String path = call.path(Router.PATH);
          String accept = call.header("Accept");
          if (accept == null
              || !accept.contains("text/html")
              || depth(path) > MAX_DEPTH
              || ofPrograms.contains(firstFolder(path))) {
            throw Router.noSuchPath(path);
          }
          Map<String, String> headers = headers();
          headers.put("Cache-Control", "no-store");
          StaticFile page = files.page(depth(path));
          return new Answer(404, page.contentType(), page.plain(), headers);
        });
  }

  private static String firstFolder(String path) {
    int slash = path.indexOf('/', 1);
    return path.substring(0, slash < 0 ? path.length() : slash);
  }

  /** Everything that pages load. */
  List<Route> files() {
    List<Route> routes = new ArrayList<>();
    String own = ConsoleFiles.FOLDER + "/";
    for (String folder : List.of("", "lib", "pages")) {
      String path = folder.isEmpty() ? own : own + folder + "/";
      routes.add(
          Routes.open(path + "{name}", call -> answer(call, files.own(folder, call.path("name")))));
    }
    String library = own + "library/{jar}/{version}/";
    for (String folder : List.of("", "directives", "dist")) {
      String path = folder.isEmpty() ? library : library + folder + "/";
      routes.add(
          Routes.open(
              path + "{name}",
              call ->
                  answer(
                      call,
                      files.ofLibrary(
                          call.path("jar"), call.path("version"), folder, call.path("name")))));
    }
    return routes;
  }

  private Map<String, String> headers() {
    Map<String, String> headers = new HashMap<>();
    headers.put("Content-Security-Policy", files.policy());
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    return headers;
  }

  private Answer answer(Call call, @Nullable StaticFile file) {
    Map<String, String> headers = headers();
    if (file == null) {
      NotFoundException none =
          new NotFoundException("file", RequestFields.shortened(call.path().toString()));
      return ApiFailures.toError(none).toAnswer().withHeaders(headers);
    }
    headers.put("ETag", file.etag());
    headers.put("Cache-Control", file.versioned() ? FOR_EVER : "no-cache");
    headers.put("Vary", "Accept-Encoding");
    String known = call.header("If-None-Match");
    if (known != null && file.isKnown(known)) {
      return new Answer(304, "", new byte[0], headers);
    }
    boolean gzip = Gzip.isTakenBy(call);
    if (gzip) {
      headers.put("Content-Encoding", "gzip");
    }
    return new Answer(200, file.contentType(), gzip ? file.gzip() : file.plain(), headers);
  }
}
