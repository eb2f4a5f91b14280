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
import dev.reprise.server.http.Routes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  private static final String FOR_EVER = "public, max-age=31536000, immutable";

  private final ConsoleFiles files = new ConsoleFiles();

  List<Route> routes() {
    List<Route> routes = new ArrayList<>();
    for (String page : PAGES) {
      int depth = page.substring(1).split("/", -1).length - 1;
      routes.add(Routes.open(page, call -> answer(call, files.page(depth))));
    }
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

  private Answer answer(Call call, @Nullable StaticFile file) {
    Map<String, String> headers = new HashMap<>();
    headers.put("Content-Security-Policy", files.policy());
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
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
