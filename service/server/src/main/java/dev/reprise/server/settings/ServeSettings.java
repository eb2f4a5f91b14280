package dev.reprise.server.settings;

import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.http.HttpSenderSettings;
import dev.reprise.server.access.AuditSettings;
import dev.reprise.server.proxy.ProxySettings;
import dev.reprise.server.proxy.PublicUrl;
import dev.reprise.server.proxy.TrustedProxies;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The values of all {@link Settings} of a service, and what follows from several of them. */
public final class ServeSettings {
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|::1|127(\\.[0-9]{1,3}){3}", Pattern.CASE_INSENSITIVE);
  private static final Duration USUAL_DRAIN = Duration.ofSeconds(1);

  private static final ServeSettings DEFAULTS = readDefaults();

  private final Map<Setting<?>, Object> values;

  private ServeSettings(Map<Setting<?>, Object> values) {
    this.values = values;
  }

  private static ServeSettings readDefaults() {
    Map<Setting<?>, Object> values = new HashMap<>();
    for (Setting<?> setting : Settings.ALL) {
      if (!setting.standard().isEmpty()) {
        values.put(setting, setting.read(setting.standard()));
      }
    }
    return new ServeSettings(values);
  }

  /** The default of each setting: this machine only, port 8080, and data in {@code ./data}. */
  public static ServeSettings defaults() {
    return DEFAULTS;
  }

  /** The defaults with another folder. */
  public static ServeSettings in(Path data) {
    return DEFAULTS.with(Settings.DATA, data);
  }

  /**
   * The same with another value of one setting.
   *
   * @throws InvalidSettingException if the value is out of range
   */
  public <T> ServeSettings with(Setting<T> setting, T value) {
    return put(setting, setting.checked(value));
  }

  /**
   * The same with the value that the text is.
   *
   * @throws InvalidSettingException if the text is no value, or one that is out of range
   */
  ServeSettings withText(Setting<?> setting, String text) {
    return put(setting, setting.read(text));
  }

  private ServeSettings put(Setting<?> setting, Object value) {
    Map<Setting<?>, Object> changed = new HashMap<>(values);
    changed.put(setting, value);
    return new ServeSettings(changed);
  }

  /** Returns the value of a setting that has a default, or was given. */
  public <T> T get(Setting<T> setting) {
    return Objects.requireNonNull(find(setting), setting::name);
  }

  /** Returns the value of a setting; null if it has no default and was not given. */
  @SuppressWarnings("unchecked") // with and withText put values of their setting's type
  public <T> @Nullable T find(Setting<T> setting) {
    return (T) values.get(setting);
  }

  /** Returns the value of a number that is 0 unless it was given. */
  public long orZero(Setting<? extends Number> setting) {
    Number value = find(setting);
    return value == null ? 0 : value.longValue();
  }

  /** Returns the text of a value, which a file or an option may have; null if there is none. */
  public @Nullable String text(Setting<?> setting) {
    return textOf(setting);
  }

  private <T> @Nullable String textOf(Setting<T> setting) {
    T value = find(setting);
    return value == null ? null : setting.write(value);
  }

  /**
   * Checks what several settings must be together, and returns these settings.
   *
   * @throws InvalidSettingException naming the one to change
   */
  public ServeSettings checked() {
    proxies();
    String host = get(Settings.HOST);
    if (get(Settings.DEV) && !LOOPBACK.matcher(host).matches()) {
      throw new InvalidSettingException(
          "host", host, "must be loopback, such as 127.0.0.1: dev is for this machine only");
    }
    requireBoth(Settings.TLS_CERTIFICATE, Settings.TLS_KEY);
    requireBoth(Settings.TLS_KEY, Settings.TLS_CERTIFICATE);
    cluster();
    return this;
  }

  private void requireBoth(Setting<?> given, Setting<?> needed) {
    if (find(given) != null && find(needed) == null) {
      throw new InvalidSettingException(
          needed.name(), "absent", "must be given with " + given.name());
    }
  }

  /** The folder with all data, as an absolute path. */
  public Path data() {
    return get(Settings.DATA).toAbsolutePath().normalize();
  }

  /** Returns true if endpoints on this machine are allowed and the API needs no key. */
  public boolean dev() {
    return get(Settings.DEV);
  }

  /**
   * Where clients reach the service; {@link PublicUrl#NONE} if that was not given.
   *
   * @throws InvalidSettingException if it cannot be the URL of a service
   */
  private PublicUrl publicUrl() {
    String given = find(Settings.PUBLIC_URL);
    return given == null ? PublicUrl.NONE : PublicUrl.of(Settings.PUBLIC_URL.name(), given);
  }

  /**
   * The proxies whose word counts for where a request comes from.
   *
   * @throws InvalidSettingException if one of their addresses is none
   */
  private TrustedProxies trustedProxies() {
    List<String> given = find(Settings.TRUSTED_PROXIES);
    return given == null
        ? TrustedProxies.NONE
        : TrustedProxies.of(Settings.TRUSTED_PROXIES.name(), given, get(Settings.FORWARDED_HEADER));
  }

  /**
   * The settings of what stands before the service.
   *
   * @throws InvalidSettingException if a setting of it is not allowed
   */
  public ProxySettings proxies() {
    return new ProxySettings(publicUrl(), trustedProxies());
  }

  /** Returns true if clients speak TLS. */
  public boolean tls() {
    return find(Settings.TLS_CERTIFICATE) != null;
  }

  /** Returns true if others in the network can read keys on their way. */
  public boolean exposesKeys() {
    return !tls() && !LOOPBACK.matcher(get(Settings.HOST)).matches();
  }

  /** The time for which a stop goes on serving while it already says that it is not ready. */
  public Duration drain() {
    Duration given = find(Settings.DRAIN);
    return given != null ? given : dev() ? Duration.ZERO : USUAL_DRAIN;
  }

  /** The bounds of the audit log. */
  public AuditSettings audit() {
    return new AuditSettings(get(Settings.AUDIT_RETENTION), get(Settings.AUDIT_RECORDS));
  }

  /** The settings of the connections to endpoints. */
  public HttpSenderSettings endpoints() {
    return HttpSenderSettings.DEFAULT
        .withMaxHeadBytes(get(Settings.MAX_RESPONSE_HEAD).intValue())
        .withMaxConnectionAge(get(Settings.MAX_CONNECTION_AGE));
  }

  /**
   * The cluster that the service is a node of; null if it is none.
   *
   * @throws InvalidSettingException if a setting of the cluster is not allowed, or its file cannot
   *     be read
   */
  public @Nullable ClusterSettings cluster() {
    return NodeSettings.of(this);
  }
}
