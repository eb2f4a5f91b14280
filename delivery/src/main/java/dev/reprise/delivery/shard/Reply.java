package dev.reprise.delivery.shard;

/**
 * Where the answer to an input goes. Called once, after what the answer speaks of is durable.
 *
 * @param <T> the answer's type
 */
public interface Reply<T> {
  /** The input was carried out. */
  void complete(T answer);

  /** The input was refused, or it is not known whether it became durable. */
  void fail(Throwable error);
}
