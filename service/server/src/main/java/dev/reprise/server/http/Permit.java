package dev.reprise.server.http;

import dev.reprise.delivery.catalog.ProjectCatalog;
import org.jspecify.annotations.Nullable;

/**
 * The part of the service that exists for one request.
 *
 * @param caller the sender of the request
 * @param project the project that it is about; null for an operation that needs no key
 * @param everything whether an operator has named no project, so that what concerns the whole
 *     service is shown for all
 * @param client the address from which the request came
 */
public record Permit(Caller caller, @Nullable Project project, boolean everything, String client) {
  /** The permit of a caller of an operation that needs no key: no project exists for it. */
  public static Permit open(String client) {
    return new Permit(Caller.ANYBODY, null, false, client);
  }

  Project existing() {
    if (project == null) {
      throw new IllegalStateException("an operation that is open to everybody has no project");
    }
    return project;
  }

  ProjectCatalog catalog() {
    return existing().catalog();
  }
}
