package dev.reprise.server.api;

import dev.reprise.server.access.AccessControl;
import dev.reprise.server.access.ApiKeys;
import dev.reprise.server.access.BrowserSessions;
import dev.reprise.server.access.WrongKeys;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Scope;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Signing in and out of the console. No part of the API: programs send their key. */
public final class SessionOperations {
  private static final String PATH = "/console/session";
  private static final int MAX_BODY_BYTES = 4096;

  /** Tells a page that the service was started anew, which ends sessions that are in memory. */
  private final String instance = UUID.randomUUID().toString();

  private final AccessControl access;
  private final WrongKeys wrongKeys;

  SessionOperations(AccessControl access) {
    this.access = access;
    this.wrongKeys = new WrongKeys(System::nanoTime);
  }

  List<Route> routes() {
    return List.of(
        Routes.open(PATH, this::show),
        route("POST", Route.JSON, this::signIn),
        route("DELETE", "", this::signOut));
  }

  private static Route route(String method, String mediaType, Route.Operation operation) {
    return new Route(
        method,
        PATH,
        Use.OPEN,
        Place.ANYWHERE,
        mediaType,
        mediaType.isEmpty() ? 0 : MAX_BODY_BYTES,
        Route.RunsOn.PROBE,
        operation,
        Description.NONE);
  }

  /** Returns the caller that is signed in. */
  private Answer show(Call call) {
    call.query();
    return Answer.json(200, shown(call)).withHeaders(Map.of("Cache-Control", "no-store"));
  }

  private ObjectNode shown(Call call) {
    if (access.keys().open()) {
      return described(Caller.DEV).put("dev", true);
    }
    Caller caller = access.sessions().find(call.headers());
    return numbered(
        caller == null
            ? JsonNodeFactory.instance.objectNode().put("signedIn", false)
            : described(caller));
  }

  /** Sessions of a cluster outlive each of its nodes, so there an instance says nothing. */
  private ObjectNode numbered(ObjectNode session) {
    return access.sessions() instanceof BrowserSessions
        ? session.put("instance", instance)
        : session;
  }

  private CompletableFuture<Answer> signIn(Call call) {
    call.query();
    BrowserSessions.checkOrigin(
        call.headers(), call.permit().source(), true, access.proxies().publicUrl());
    String key = RequestFields.string(call.object("key"), "key");
    if (key == null) {
      throw ApiException.invalid("key", "absent", "must be an API key");
    }
    String client = call.permit().client();
    ApiKeys.@Nullable Proof proof = null;
    Caller caller;
    try {
      proof = access.keys().proof(key.trim());
      caller = access.keys().check(proof);
    } catch (ApiException e) {
      wrongKeys.add(client, proof == null ? null : proof.id());
      throw new ApiException(ApiError.of(401, "unauthorized", e.error().message()));
    }
    access.sessions().end(call.headers());
    boolean secure = isSecure(call);
    String token = access.sessions().begin(proof, secure);
    return CompletableFuture.completedFuture(
        Answer.json(200, numbered(described(caller)))
            .withHeaders(
                headers(BrowserSessions.cookie(token, secure, access.proxies().publicUrl()))));
  }

  private CompletableFuture<Answer> signOut(Call call) {
    call.query();
    BrowserSessions.checkOrigin(
        call.headers(), call.permit().source(), true, access.proxies().publicUrl());
    access.sessions().end(call.headers());
    return CompletableFuture.completedFuture(
        Answer.noContent()
            .withHeaders(
                headers(BrowserSessions.cookie("", isSecure(call), access.proxies().publicUrl()))));
  }

  /** The page came over TLS, whether that ends here or before the service. */
  private static boolean isSecure(Call call) {
    String origin = call.header("Origin");
    return call.permit().source().secure()
        || (origin != null && origin.regionMatches(true, 0, "https://", 0, 8));
  }

  private static Map<String, String> headers(String cookie) {
    return Map.of("Set-Cookie", cookie, "Cache-Control", "no-store");
  }

  private static ObjectNode described(Caller caller) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("signedIn", true).put("key", caller.key()).put("name", caller.name());
    ArrayNode scopes = document.putArray("scopes");
    Scope.wireNames(caller.scopes()).forEach(scopes::add);
    document.put("operator", caller.isOperator());
    if (caller.project() != null) {
      document.put("project", caller.project());
    }
    if (caller.expiresAtMillis() != 0) {
      document.put("expiresAt", Times.text(caller.expiresAtMillis()));
    }
    return document;
  }
}
