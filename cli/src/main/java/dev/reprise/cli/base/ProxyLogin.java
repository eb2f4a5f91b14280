package dev.reprise.cli.base;

import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Gives a proxy its user and password, and gives nothing to any other server. A client has one for
 * all its requests: Java shares neither connections nor what a proxy has taken between two.
 */
final class ProxyLogin extends Authenticator {
  private final @Nullable PasswordAuthentication user;

  /** Emptied when asked: Java repeats a wrong password until it has had twenty answers. */
  private final AtomicReference<@Nullable PasswordAuthentication> left = new AtomicReference<>();

  ProxyLogin(@Nullable PasswordAuthentication user) {
    this.user = user;
  }

  /** Has them given once more, for a new request. */
  void renew() {
    left.set(user);
  }

  @Override
  protected @Nullable PasswordAuthentication getPasswordAuthentication() {
    return getRequestorType() == RequestorType.PROXY ? left.getAndSet(null) : null;
  }
}
