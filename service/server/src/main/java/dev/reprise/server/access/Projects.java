package dev.reprise.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Project;
import dev.reprise.server.http.ProjectSettings;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.StrictJson;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * All projects, in the store and in memory. The default one is always there. Safe for use by many
 * threads; a change is durable when the method that makes it returns. Changes exclude each other by
 * the lock of this object.
 */
public final class Projects {
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
  private static final String CREATED_AT = "createdAt";

  private final Store store;
  private final Catalog catalog;
  private final LongSupplier nanoTime;
  private final ConcurrentSkipListMap<String, Project> projects = new ConcurrentSkipListMap<>();

  /**
   * The projects in {@code store}.
   *
   * @param catalog has their topics
   * @param nanoTime the monotonic clock by which quotas are kept
   */
  Projects(Store store, Catalog catalog, LongSupplier nanoTime) {
    this.store = store;
    this.catalog = catalog;
    this.nanoTime = nanoTime;
    try (Store.Cursor cursor = store.range(new byte[] {0}, new byte[] {(byte) 0xff})) {
      while (cursor.next()) {
        String name = new String(cursor.key(), UTF_8);
        projects.put(name, stored(name, cursor.value()));
      }
    }
    projects.computeIfAbsent(
        Topic.DEFAULT_PROJECT, name -> project(name, 0, ProjectSettings.OF_DEFAULT));
  }

  private Project stored(String name, byte[] value) {
    try {
      JsonNode document = StrictJson.read(value);
      return project(name, document.path(CREATED_AT).longValue(), ProjectSettings.read(document));
    } catch (RuntimeException e) {
      throw new StoreException(
          "project '"
              + name
              + "' is stored in a form that this version cannot read: "
              + e.getMessage()
              + ". Nothing was changed. Start the version that wrote it, or restore the folder from"
              + " a backup",
          false,
          e);
    }
  }

  private Project project(String name, long createdAtMillis, ProjectSettings settings) {
    return new Project(catalog.of(name), createdAtMillis, settings, nanoTime);
  }

  /** Reads projects again that another process has changed. */
  synchronized void refresh(List<byte[]> changed) {
    for (byte[] key : changed) {
      String name = new String(key, UTF_8);
      byte[] stored = store.get(key);
      Project before = projects.get(name);
      if (stored == null) {
        projects.remove(name);
      } else if (before == null) {
        projects.put(name, stored(name, stored));
      } else {
        before.use(ProjectSettings.read(StrictJson.read(stored)));
      }
    }
  }

  /** All projects by name. */
  public List<Project> list() {
    return List.copyOf(projects.values());
  }

  /** The project of this name; null if there is none. */
  @Nullable Project find(String name) {
    return projects.get(name);
  }

  /** The project of this name. */
  Project get(String name) {
    Project project = projects.get(name);
    if (project == null) {
      throw new NotFoundException("project", RequestFields.shortened(name));
    }
    return project;
  }

  /** Creates a project. */
  public synchronized Project create(String name, ProjectSettings settings, long nowMillis) {
    if (!NAME.matcher(name).matches()) {
      throw ApiException.invalid(
          "name",
          RequestFields.shortened(name),
          "must be 1 to 63 small letters, digits and -, and not begin with -");
    }
    if (projects.containsKey(name)) {
      throw new ConflictException("project '" + name + "' exists already");
    }
    Project project = project(name, nowMillis, settings);
    write(project, settings);
    projects.put(name, project);
    return project;
  }

  /** Gives a project other settings. */
  public synchronized Project change(String name, ProjectSettings settings) {
    Project project = get(name);
    write(project, settings);
    project.use(settings);
    return project;
  }

  /**
   * Deletes a project without topics.
   *
   * @param keys how many API keys are of this project alone; with any, it stays
   */
  synchronized void delete(String name, int keys) {
    Project project = get(name);
    if (name.equals(Topic.DEFAULT_PROJECT)) {
      throw new ConflictException("project 'default' cannot be deleted");
    }
    project.delete(
        () -> {
          checkEmpty(project, keys);
          catalog.forget(name);
          Batch batch = new Batch();
          batch.delete(name.getBytes(UTF_8));
          store.write(batch);
        });
    projects.remove(name);
  }

  private static void checkEmpty(Project project, int keys) {
    int topics = project.catalog().topics().size();
    if (topics + keys > 0) {
      throw new ConflictException(
          "project '"
              + project.name()
              + "' has "
              + topics
              + (topics == 1 ? " topic and " : " topics and ")
              + keys
              + (keys == 1 ? " API key" : " API keys")
              + ": delete and revoke them first");
    }
  }

  private void write(Project project, ProjectSettings settings) {
    ObjectNode document = settings.write();
    document.put(CREATED_AT, project.createdAtMillis());
    Batch batch = new Batch();
    batch.put(project.name().getBytes(UTF_8), StrictJson.MAPPER.writeValueAsBytes(document));
    store.write(batch);
  }
}
