package dev.reprise.delivery.catalog;

import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.Field;
import dev.reprise.policy.document.ObjectType;
import dev.reprise.policy.document.Violation;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The object {@code http} of a subscription, field by field. */
final class HttpSettingsType {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int MAX_HEADERS = 20;
  private static final int MAX_HEADER_CHARS = 4096;
  private static final int MAX_PARAMETERS = 20;
  private static final int MAX_PARAMETER_CHARS = 1024;
  private static final int MAX_PEM_CHARS = 65_536;
  private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}");

  /** RFC 6749, appendix A.8. */
  private static final Pattern PARAMETER = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  private static final Pattern VALUE = Pattern.compile("[\\t -~]*");

  /** Headers that the sender sets itself, or that a subscriber may not set. */
  private static final List<String> RESERVED =
      List.of(
          "authorization",
          "connection",
          "content-length",
          "content-type",
          "expect",
          "host",
          "http2-settings",
          "keep-alive",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "user-agent",
          "webhook-id",
          "webhook-signature",
          "webhook-timestamp",
          "webhook-request-origin");

  /** Fields of the form for a token that have a setting of their own. */
  private static final List<String> RESERVED_PARAMETERS =
      List.of("grant_type", "client_id", "client_secret", "scope");

  private static final List<String> RESERVED_PREFIXES = List.of("reprise-", "ce-");

  /** As requests may have it, once its secrets are encrypted. */
  static final ObjectType<HttpEndpointSettings> REQUESTED = type(true);

  /** As it is stored: what was accepted once is not judged by today's rules. */
  static final ObjectType<HttpEndpointSettings> STORED = type(false);

  private HttpSettingsType() {}

  /** The names of the fields that are secrets. */
  static List<String> secrets() {
    return REQUESTED.fields().stream()
        .filter(field -> field.codec().equals(SealedSecret.CODEC))
        .map(Field::name)
        .toList();
  }

  /** The object as a field; a field in it that is not known is not quoted: it may be a secret. */
  static Codec<HttpEndpointSettings> codec(ObjectType<HttpEndpointSettings> type) {
    return new Codec<>(
        "object",
        "must be an object",
        (checks, path, value) -> {
          if (!value.isObject()) {
            return Codec.refuse(checks, path, JSON.stringNode("not shown"), "must be an object");
          }
          for (String name : value.propertyNames()) {
            if (type == REQUESTED && !type.names().contains(name)) {
              checks.add(
                  new Violation(
                      Checks.join(path, name),
                      "not shown",
                      "is not a field; fields are " + String.join(", ", type.names())));
            }
          }
          return type.read(checks, path, value);
        },
        type::write,
        type.schema());
  }

  private static ObjectType<HttpEndpointSettings> type(boolean judged) {
    var type = ObjectType.of(HttpEndpointSettings.class, "");
    Codec<String> text = text(1024, judged);
    Codec<String> pem = text(MAX_PEM_CHARS, judged);
    var headers =
        type.optional(
            "headers",
            headers(judged),
            Map.of(),
            HttpEndpointSettings::headers,
            "Headers that every attempt brings along, such as {\"X-Tenant\": \"blue\"}.");
    var username =
        type.derived(
            "username", text, HttpEndpointSettings::username, "The user of Basic authentication.");
    var password =
        secret(type, "password", HttpEndpointSettings::password, "The password of username.");
    var token =
        secret(
            type, "token", HttpEndpointSettings::token, "A token, sent as Authorization: Bearer.");
    var tokenUrl =
        type.derived(
            "tokenUrl",
            text(2048, judged),
            HttpEndpointSettings::tokenUrl,
            "The URL where an access token is fetched by the OAuth 2.0 client credentials grant,"
                + " under the same rules as endpoints.");
    var clientId =
        type.derived("clientId", text, HttpEndpointSettings::clientId, "The client of tokenUrl.");
    var clientSecret =
        secret(type, "clientSecret", HttpEndpointSettings::clientSecret, "The secret of clientId.");
    var scope =
        type.derived("scope", text, HttpEndpointSettings::scope, "The scope asked of tokenUrl.");
    var tokenParameters =
        type.derived(
            "tokenParameters",
            parameters(judged),
            HttpEndpointSettings::tokenParameters,
            "Further fields of the form that tokenUrl gets, such as {\"audience\":"
                + " \"https://api.example.com\"} or {\"resource\": \"https://example.com\"}; not"
                + " encrypted.");
    var tokenAuthentication =
        type.derived(
            "tokenAuthentication",
            CatalogCodecs.oneOf(TokenAuthentication.values(), TokenAuthentication::wireName),
            HttpEndpointSettings::tokenAuthentication,
            "Where tokenUrl gets clientId and clientSecret: in the Authorization header"
                + " (client_secret_basic, the default), or in the form (client_secret_post).");
    var certificate =
        type.derived(
            "certificate",
            pem,
            HttpEndpointSettings::certificate,
            "The certificate that is shown to an endpoint that asks for one, and those that lead to"
                + " its authority: PEM.");
    var privateKey =
        secret(
            type,
            "privateKey",
            HttpEndpointSettings::privateKey,
            "The private key of certificate: PEM, not encrypted.");
    var authority =
        type.derived(
            "authority",
            pem,
            HttpEndpointSettings::authority,
            "The authorities that are trusted for this endpoint instead of the public ones: PEM.");
    var signingSecret =
        secret(
            type,
            "signingSecret",
            HttpEndpointSettings::signingSecret,
            "Signs every attempt as Standard Webhooks has it: whsec_ and 24 to 64 bytes in Base64"
                + " (v1, HMAC-SHA256), or whsk_ and an Ed25519 key (v1a).");
    var oldSigningSecret =
        secret(
            type,
            "oldSigningSecret",
            HttpEndpointSettings::oldSigningSecret,
            "Signs as well until oldSigningUntil, so that receivers have time to change.");
    var oldSigningUntil =
        type.derived(
            "oldSigningUntil",
            time(),
            HttpEndpointSettings::oldSigningUntil,
            "When oldSigningSecret ends: RFC 3339.");
    var handshake =
        type.optional(
            "handshake",
            Codec.FLAG,
            false,
            HttpEndpointSettings::handshake,
            "Whether the endpoint must allow deliveries first, by an answer to OPTIONS with"
                + " WebHook-Request-Origin (CloudEvents, HTTP 1.1 Web Hooks).");
    return type.makes(
        values -> {
          HttpEndpointSettings made =
              new HttpEndpointSettings(
                  values.get(headers),
                  values.find(username),
                  values.find(password),
                  values.find(token),
                  values.find(tokenUrl),
                  values.find(clientId),
                  values.find(clientSecret),
                  values.find(scope),
                  values.find(tokenParameters),
                  values.find(tokenAuthentication),
                  values.find(certificate),
                  values.find(privateKey),
                  values.find(authority),
                  values.find(signingSecret),
                  values.find(oldSigningSecret),
                  values.find(oldSigningUntil),
                  values.get(handshake));
          if (judged) {
            checkTogether(made);
          }
          return made;
        });
  }

  /** The rules that several fields obey together; each message names them. */
  private static void checkTogether(HttpEndpointSettings http) {
    together("username", http.username(), "password", http.password());
    together("clientId", http.clientId(), "clientSecret", http.clientSecret());
    together("tokenUrl", http.tokenUrl(), "clientId", http.clientId());
    together("certificate", http.certificate(), "privateKey", http.privateKey());
    together(
        "oldSigningSecret", http.oldSigningSecret(), "oldSigningUntil", http.oldSigningUntil());
    onlyWithTokenUrl("scope", http.scope(), http);
    onlyWithTokenUrl("tokenParameters", http.tokenParameters(), http);
    onlyWithTokenUrl("tokenAuthentication", http.tokenAuthentication(), http);
    if (http.oldSigningSecret() != null && http.signingSecret() == null) {
      throw new IllegalArgumentException("oldSigningSecret must be absent without signingSecret");
    }
    int logins =
        (http.username() == null ? 0 : 1)
            + (http.token() == null ? 0 : 1)
            + (http.tokenUrl() == null ? 0 : 1);
    if (logins > 1) {
      throw new IllegalArgumentException("must have one of username, token and tokenUrl");
    }
  }

  private static void onlyWithTokenUrl(
      String name, @Nullable Object value, HttpEndpointSettings http) {
    if (value != null && http.tokenUrl() == null) {
      throw new IllegalArgumentException(name + " must be absent without tokenUrl");
    }
  }

  private static void together(
      String name, @Nullable Object value, String other, @Nullable Object otherValue) {
    if ((value == null) != (otherValue == null)) {
      throw new IllegalArgumentException(name + " and " + other + " must be given together");
    }
  }

  private static Field<HttpEndpointSettings, SealedSecret> secret(
      ObjectType.Builder<HttpEndpointSettings> type,
      String name,
      Function<HttpEndpointSettings, @Nullable SealedSecret> getter,
      String description) {
    return type.derived(name, SealedSecret.CODEC, getter, description);
  }

  private static Codec<String> text(int most, boolean judged) {
    Codec<String> any = CatalogCodecs.text("must be a text of 1 to " + most + " characters");
    return new Codec<>(
        any.type(),
        any.rule(),
        (checks, path, value) -> {
          String read = any.reader().read(checks, path, value);
          return read != null && judged && (read.isEmpty() || read.length() > most)
              ? Codec.refuse(checks, path, value, any.rule())
              : read;
        },
        any.writer(),
        any.schema());
  }

  private static Codec<Instant> time() {
    String rule = "must be a time such as 2026-01-31T12:00:00Z";
    return new Codec<>(
        "time",
        rule,
        (checks, path, value) -> {
          try {
            return value.isString()
                ? Instant.parse(value.stringValue())
                : Codec.refuse(checks, path, value, rule);
          } catch (DateTimeException e) {
            return Codec.refuse(checks, path, value, rule);
          }
        },
        time -> JSON.stringNode(time.toString()),
        JSON.objectNode().put("type", "string").put("format", "date-time"));
  }

  private static Codec<Map<String, String>> headers(boolean judged) {
    String rule =
        "must be an object of at most "
            + MAX_HEADERS
            + " headers, whose names are HTTP tokens and whose values are printable ASCII of at"
            + " most "
            + MAX_HEADER_CHARS
            + " characters";
    ObjectNode schema = JSON.objectNode().put("type", "object").put("maxProperties", MAX_HEADERS);
    schema
        .putObject("additionalProperties")
        .put("type", "string")
        .put("maxLength", MAX_HEADER_CHARS);
    return new Codec<>(
        "object",
        rule,
        (checks, path, value) -> {
          Map<String, String> headers = new LinkedHashMap<>();
          if (!value.isObject() || value.size() > MAX_HEADERS) {
            return Codec.refuse(checks, path, JSON.stringNode("not shown"), rule);
          }
          for (Map.Entry<String, JsonNode> entry : value.properties()) {
            String problem = judged ? headerProblem(entry.getKey(), entry.getValue(), rule) : null;
            if (problem != null) {
              checks.add(new Violation(Checks.join(path, entry.getKey()), "not shown", problem));
            }
            headers.put(entry.getKey(), entry.getValue().asString(""));
          }
          return headers;
        },
        headers -> {
          ObjectNode written = JSON.objectNode();
          headers.forEach(written::put);
          return written;
        },
        schema);
  }

  private static Codec<Map<String, String>> parameters(boolean judged) {
    String rule =
        "must be an object of 1 to "
            + MAX_PARAMETERS
            + " texts of 1 to "
            + MAX_PARAMETER_CHARS
            + " characters, under names of letters, digits, '.', '_' and '-', at most 100";
    ObjectNode schema =
        JSON.objectNode().put("type", "object").put("maxProperties", MAX_PARAMETERS);
    schema
        .putObject("additionalProperties")
        .put("type", "string")
        .put("maxLength", MAX_PARAMETER_CHARS);
    return new Codec<>(
        "object",
        rule,
        (checks, path, value) -> {
          if (!value.isObject() || value.isEmpty() || value.size() > MAX_PARAMETERS) {
            return Codec.refuse(checks, path, JSON.stringNode("not shown"), rule);
          }
          Map<String, String> parameters = new LinkedHashMap<>();
          for (Map.Entry<String, JsonNode> entry : value.properties()) {
            String problem =
                judged ? parameterProblem(entry.getKey(), entry.getValue(), rule) : null;
            if (problem != null) {
              checks.add(new Violation(Checks.join(path, entry.getKey()), "not shown", problem));
            }
            parameters.put(entry.getKey(), entry.getValue().asString(""));
          }
          return parameters;
        },
        parameters -> {
          ObjectNode written = JSON.objectNode();
          parameters.forEach(written::put);
          return written;
        },
        schema);
  }

  private static @Nullable String parameterProblem(String name, JsonNode value, String rule) {
    if (RESERVED_PARAMETERS.contains(name)) {
      return name.equals("grant_type")
          ? "is always client_credentials"
          : "is set by clientId, clientSecret or scope";
    }
    boolean fits =
        PARAMETER.matcher(name).matches()
            && value.isString()
            && !value.stringValue().isEmpty()
            && value.stringValue().length() <= MAX_PARAMETER_CHARS;
    return fits ? null : rule;
  }

  private static @Nullable String headerProblem(String name, JsonNode value, String rule) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (RESERVED.contains(lower) || RESERVED_PREFIXES.stream().anyMatch(lower::startsWith)) {
      return lower.equals("authorization")
          ? "is set by username, token or tokenUrl, which are kept encrypted"
          : "is a header that the service sets itself";
    }
    boolean fits =
        HEADER.matcher(name).matches()
            && value.isString()
            && value.stringValue().length() <= MAX_HEADER_CHARS
            && VALUE.matcher(value.stringValue()).matches();
    return fits ? null : rule;
  }
}
