package dev.reprise.server.http;

import dev.reprise.delivery.catalog.ProjectCatalog;
import dev.reprise.server.proxy.RequestSource;
import org.jspecify.annotations.Nullable;

/**
 * The part of the service that exists for one request.
 *
 * @param caller the sender of the request
 * @param project the project that it is about; null for an operation that needs no key
 * @param everything whether an operator has named no project, so that what concerns the whole
 *     service is shown for all
 * @param source where the request came from
 */
public record Permit(
    Caller caller, @Nullable Project project, boolean everything, RequestSource source) {
  /** The permit of a caller of an operation that needs no key: no project exists for it. */
  public static Permit open(RequestSource source) {
    return new Permit(Caller.ANYBODY, null, false, source);
  }

  /** The address from which the request came. */
  public String client() {
    return source.client();
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
