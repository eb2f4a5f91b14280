package dev.reprise.server.api;

import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.policy.document.DurationText;
import dev.reprise.server.access.AccessControl;
import dev.reprise.server.access.ApiKey;
import dev.reprise.server.access.ApiKeys;
import dev.reprise.server.document.KeyDocument;
import dev.reprise.server.event.OperatorEvent;
import dev.reprise.server.event.OperatorEvents;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Caller;
import dev.reprise.server.http.Cursor;
import dev.reprise.server.http.Listing;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Query;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Scope;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.KeyDescriptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** API keys. A caller sees those of its project, and makes none that may do more than its own. */
final class KeyOperations {
  private static final int MAX_NAME_CHARS = 100;
  private static final Duration OVERLAP = Duration.ofDays(1);
  private static final Duration MAX_OVERLAP = Duration.ofDays(30);
  private static final int WARNING_DAYS = 14;

  private final AccessControl access;
  private final DeliveryEngine engine;
  private final OperatorEvents events;

  KeyOperations(AccessControl access, DeliveryEngine engine, OperatorEvents events) {
    this.access = access;
    this.engine = engine;
    this.events = events;
  }

  List<Route> routes() {
    return List.of(
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/keys", this::list)
            .described(KeyDescriptions.LIST_KEYS),
        Routes.changing(Use.CHANGE, Place.CATALOG, "POST", "/v1/keys", this::create)
            .described(KeyDescriptions.CREATE_KEY),
        Routes.changing(Use.CHANGE, Place.CATALOG, "POST", "/v1/keys/{id}/rotate", this::rotate)
            .described(KeyDescriptions.ROTATE_KEY),
        Routes.reading(Use.CHANGE, Place.CATALOG, "DELETE", "/v1/keys/{id}", this::revoke)
            .described(KeyDescriptions.REVOKE_KEY));
  }

  private Answer list(Call call) {
    Query query = call.query();
    int limit = query.limit();
    String cursor = query.cursor();
    long from = cursor == null ? 0 : Cursor.read(cursor, "k", (kind, c) -> c.count());
    List<ApiKeys.Listed> all = access.keys().list(project(call));
    List<KeyDocument> items = new ArrayList<>();
    all.stream().skip(from).limit(limit).map(this::document).forEach(items::add);
    long next = from + limit;
    return Listing.answer(items, next < all.size() ? Cursor.of('k').number(next).toString() : null);
  }

  /** The project whose keys a request is about; null for those of all and of operators. */
  private static @Nullable String project(Call call) {
    return call.everything() ? null : call.project().name();
  }

  private Answer create(Call call) {
    call.query();
    JsonNode document = call.object("name", "scopes", "project", "expiresAt");
    @Nullable String name = RequestFields.string(document, "name");
    if (name == null || name.isBlank() || name.length() > MAX_NAME_CHARS) {
      throw ApiException.invalid(
          "name",
          name == null ? "absent" : RequestFields.shortened(name),
          "must be a text of 1 to " + MAX_NAME_CHARS + " characters");
    }
    Set<Scope> scopes = scopes(call.caller(), document.get("scopes"));
    String named = RequestFields.string(document, "project");
    String project = project(call);
    long expiresAt = expiresAt(call.caller(), RequestFields.string(document, "expiresAt"));
    if (named != null && !named.equals(project)) {
      if (access.visible(call.caller(), named) == null) {
        throw new NotFoundException("project", RequestFields.shortened(named));
      }
      project = named;
    }
    ApiKeys.Fresh fresh = access.createKey(name, scopes, project, expiresAt);
    return Answer.json(201, new KeyDocument.Fresh(fresh.id(), name, fresh.text()));
  }

  private static Set<Scope> scopes(Caller caller, @Nullable JsonNode given) {
    if (given == null || given.isNull()) {
      return caller.scopes();
    }
    List<String> names = new ArrayList<>();
    given.forEach(name -> names.add(name.isString() ? name.stringValue() : name.toString()));
    if (!given.isArray()) {
      throw ApiException.invalid(
          "scopes",
          RequestFields.shortened(given.toString()),
          "must be a list such as [\"publish\"]");
    }
    Set<Scope> scopes = Scope.read(names, "scopes");
    for (Scope scope : scopes) {
      if (!caller.has(scope)) {
        throw new ApiException(
            ApiError.of(
                403,
                "forbidden",
                "scope "
                    + scope.wireName()
                    + " can be given by a key that has it: "
                    + caller.described()
                    + " has not"));
      }
    }
    return scopes;
  }

  /** A key that expires makes none that outlives it. */
  private long expiresAt(Caller caller, @Nullable String text) {
    long most = caller.expiresAtMillis();
    if (text == null) {
      return most;
    }
    long expiresAt = RequestFields.time(text, "expiresAt", 0);
    if (expiresAt <= engine.nowMillis()) {
      throw ApiException.invalid(
          "expiresAt", RequestFields.shortened(text), "must be in the future");
    }
    if (most != 0 && expiresAt > most) {
      throw ApiException.invalid(
          "expiresAt",
          RequestFields.shortened(text),
          "must not be after " + Times.text(most) + ", when the key that makes it expires");
    }
    return expiresAt;
  }

  private Answer rotate(Call call) {
    call.query();
    String text = RequestFields.string(call.object("overlap"), "overlap");
    Duration overlap = text == null ? OVERLAP : DurationText.read(text);
    if (overlap == null || overlap.isNegative() || overlap.compareTo(MAX_OVERLAP) > 0) {
      throw ApiException.invalid(
          "overlap",
          RequestFields.shortened(String.valueOf(text)),
          "must be a duration from 0s to 30 days");
    }
    ApiKey key = existing(call);
    checkRank(call.caller(), key, "rotated");
    ApiKeys.Fresh fresh = access.keys().rotate(key.id(), project(call), overlap);
    events.tell(OperatorEvent.SecretRotated.ofKey(key.caller().project(), key.id()));
    return Answer.json(200, new KeyDocument.Fresh(key.id(), key.caller().name(), fresh.text()));
  }

  private Answer revoke(Call call) {
    call.query();
    ApiKey key = existing(call);
    access.keys().revoke(key.id(), project(call));
    return Answer.noContent();
  }

  private ApiKey existing(Call call) {
    String id = call.path("id");
    return access.keys().list(project(call)).stream()
        .map(ApiKeys.Listed::key)
        .filter(key -> key.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new NotFoundException("key", RequestFields.shortened(id)));
  }

  /** The caller that rotates a key gets its new secret, and thereby all that the key may do. */
  private static void checkRank(Caller caller, ApiKey key, String done) {
    boolean longer =
        caller.expiresAtMillis() != 0
            && (key.caller().expiresAtMillis() == 0
                || key.caller().expiresAtMillis() > caller.expiresAtMillis());
    if (!key.caller().scopes().stream().allMatch(caller::has) || longer) {
      throw new ApiException(
          ApiError.of(
              403,
              "forbidden",
              key.caller().described()
                  + " may do more, or for longer, than "
                  + caller.described()
                  + ", so it cannot be "
                  + done
                  + " by it"));
    }
  }

  private KeyDocument document(ApiKeys.Listed listed) {
    ApiKey key = listed.key();
    long now = engine.nowMillis();
    long expiresAt = key.caller().expiresAtMillis();
    return new KeyDocument(
        key.id(),
        key.caller().name(),
        Scope.wireNames(key.caller().scopes()),
        key.caller().project(),
        Times.text(key.createdAtMillis()),
        time(expiresAt),
        time(key.oldUntilMillis() > now ? key.oldUntilMillis() : 0),
        time(listed.lastUsedMillis()),
        expiresAt == 0 ? List.of() : warnings(expiresAt, now));
  }

  private static @Nullable String time(long millis) {
    return millis == 0 ? null : Times.text(millis);
  }

  private static List<String> warnings(long expiresAtMillis, long nowMillis) {
    long days = TimeUnit.MILLISECONDS.toDays(expiresAtMillis - nowMillis);
    if (expiresAtMillis <= nowMillis) {
      return List.of("has expired");
    }
    return days >= WARNING_DAYS
        ? List.of()
        : List.of(
            days == 0
                ? "expires within a day"
                : "expires in " + days + (days == 1 ? " day" : " days"));
  }
}
