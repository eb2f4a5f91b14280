package dev.reprise.server.http;

/**
 * The kind of use that an operation is: which clients may call it, and whether the audit log
 * records it. Every route states one; there is no default.
 *
 * @param access the callers
 * @param isChange whether it changes something that is recorded
 */
public record Use(Route.Access access, boolean isChange) {
  /** Open to all clients, without a key. */
  public static final Use OPEN = new Use(Route.Access.OPEN, false);

  /** Publishing, which the audit log does not record. */
  public static final Use PUBLISH = new Use(Route.Access.PUBLISH, false);

  /** Looking at what belongs to the project. */
  public static final Use READ = new Use(Route.Access.READ, false);

  /** Something for operators alone that is no change of what is set up. */
  public static final Use OPERATE = new Use(Route.Access.OPERATE, false);

  /** Something within a project that is no change of what is set up. */
  public static final Use MANAGE = new Use(Route.Access.MANAGE, false);

  /** A change within a project, which is recorded. */
  public static final Use CHANGE = new Use(Route.Access.MANAGE, true);

  /** A change by operators alone, which is recorded. */
  public static final Use OPERATOR_CHANGE = new Use(Route.Access.OPERATE, true);
}
