package dev.reprise.server.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the operation for a method and a path. Immutable once made; safe for many threads. */
public final class Router {
  /** The variable that has the path that no operation has. */
  public static final String PATH = "path";

  private final Node root = new Node();
  private final List<Route> routes;
  private final @Nullable Route otherwise;

  /** One segment of all paths that begin alike. */
  private static final class Node {
    final Map<String, Node> fixed = new HashMap<>();
    final Map<String, List<Route>> byMethod = new TreeMap<>();
    @Nullable Node variable;
    String variableName = "";
  }

  /**
   * A route and the variable parts of the path that led to it.
   *
   * @param route the operation
   * @param path the variable parts of the path by name
   */
  public record Match(Route route, Map<String, String> path) {}

  public Router(List<Route> routes) {
    this(routes, null);
  }

  /**
   * Finds one of these operations, or the last one.
   *
   * @param otherwise answers GET and HEAD of every path that none of them has, which is its
   *     variable {@value #PATH}; null if nothing does
   */
  public Router(List<Route> routes, @Nullable Route otherwise) {
    this.otherwise = otherwise;
    this.routes = List.copyOf(routes);
    this.routes.forEach(this::add);
  }

  /** All operations. */
  List<Route> routes() {
    return routes;
  }

  private void add(Route route) {
    Node node = root;
    for (String segment : route.pattern().substring(1).split("/", -1)) {
      if (segment.startsWith("{")) {
        Node variable = node.variable;
        if (variable == null) {
          variable = new Node();
          node.variable = variable;
          node.variableName = segment.substring(1, segment.length() - 1);
        }
        node = variable;
      } else {
        node = node.fixed.computeIfAbsent(segment, name -> new Node());
      }
    }
    node.byMethod.computeIfAbsent(route.method(), method -> new ArrayList<>(1)).add(route);
  }

  /**
   * Finds the operation.
   *
   * @param contentType the request's header; null without one
   * @throws ApiException 404 if there is no such path, 405 if it knows other methods only, 415 if
   *     it takes other bodies only
   */
  public Match match(String method, String path, @Nullable String contentType) {
    Node node = root;
    Map<String, String> variables = Map.of();
    int start = 1;
    while (start <= path.length()) {
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      String segment = path.substring(start, end);
      start = end + 1;
      Node next = node.fixed.get(segment);
      if (next == null) {
        next = segment.isEmpty() ? null : node.variable;
        if (next == null) {
          return otherwise(method, path);
        }
        if (variables.isEmpty()) {
          variables = new HashMap<>(2);
        }
        variables.put(node.variableName, decode(segment, path));
      }
      node = next;
    }
    List<Route> candidates = node.byMethod.get(method);
    if (candidates == null && method.equals("HEAD") && isOpen(node)) {
      candidates = node.byMethod.get("GET");
    }
    if (candidates != null) {
      return new Match(choose(candidates, contentType), variables);
    }
    if (node.byMethod.isEmpty()) {
      return otherwise(method, path);
    }
    String allowed = String.join(", ", node.byMethod.keySet()) + (isOpen(node) ? ", HEAD" : "");
    throw new ApiException(
        ApiError.of(
                405,
                "method_not_allowed",
                method
                    + " is no method of "
                    + RequestFields.shortened(path)
                    + "; it has "
                    + allowed)
            .withHeader("Allow", allowed));
  }

  /** Load balancers ask open paths by HEAD. */
  private static boolean isOpen(Node node) {
    List<Route> get = node.byMethod.get("GET");
    return get != null && get.get(0).access() == Route.Access.OPEN;
  }

  /** Chooses by media type; a request without one is taken for the first route. */
  private static Route choose(List<Route> candidates, @Nullable String contentType) {
    Route first = candidates.get(0);
    if (contentType == null || first.mediaType().isEmpty()) {
      return first;
    }
    for (Route route : candidates) {
      if (route.mediaType().equals(contentType)) {
        return route;
      }
    }
    String given = contentType.toLowerCase(Locale.ROOT).replace(" ", "").replace("\"", "");
    for (Route route : candidates) {
      if (given.equals(route.mediaType()) || given.equals(route.mediaType() + ";charset=utf-8")) {
        return route;
      }
    }
    String wanted = String.join(" or ", candidates.stream().map(Route::mediaType).toList());
    throw new ApiException(
        ApiError.of(
            415,
            "unsupported_media_type",
            "Content-Type is " + RequestFields.shortened(contentType) + ": must be " + wanted));
  }

  /** Percent signs only: a plus sign in a path is a plus sign. */
  private static String decode(String segment, String path) {
    if (segment.indexOf('%') < 0) {
      return segment;
    }
    try {
      return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(
          "path", RequestFields.shortened(path), "must have two digits after %");
    }
  }

  private Match otherwise(String method, String path) {
    if (otherwise == null || !(method.equals("GET") || method.equals("HEAD"))) {
      throw noSuchPath(path);
    }
    return new Match(otherwise, Map.of(PATH, path));
  }

  /** The refusal of a path that there is not, in the words of a program. */
  public static ApiException noSuchPath(String path) {
    return new ApiException(
        ApiError.of(
            404,
            "not_found",
            "there is no path '" + RequestFields.shortened(path) + "'; see /openapi.json"));
  }
}
