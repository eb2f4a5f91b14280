package dev.reprise.server.http;

/**
 * The kind of use that an operation is: which clients may call it, and under which name the audit
 * log records it. Every route states one; there is no default.
 *
 * @param access the callers
 * @param change the operation's name in the audit log, its operationId; empty for one that changes
 *     nothing that is recorded
 */
public record Use(Route.Access access, String change) {
  /** Open to all clients, without a key. */
  public static final Use OPEN = new Use(Route.Access.OPEN, "");

  /** Publishing, which the audit log does not record. */
  public static final Use PUBLISH = new Use(Route.Access.PUBLISH, "");

  /** Looking at what belongs to the project. */
  public static final Use READ = new Use(Route.Access.READ, "");

  /** Something for operators alone that is no change of what is set up. */
  public static final Use OPERATE = new Use(Route.Access.OPERATE, "");

  /** Something within a project that is no change of what is set up. */
  public static final Use MANAGE = new Use(Route.Access.MANAGE, "");

  /** A change within a project, which is recorded. */
  public static Use manage(String operationId) {
    return new Use(Route.Access.MANAGE, operationId);
  }

  /** A change by operators alone, which is recorded. */
  public static Use operate(String operationId) {
    return new Use(Route.Access.OPERATE, operationId);
  }

  public boolean isChange() {
    return !change.isEmpty();
  }
}
