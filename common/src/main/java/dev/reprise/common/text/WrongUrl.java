package dev.reprise.common.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Shows URLs that are refused. */
public final class WrongUrl {
  private static final Pattern BEGIN_OF_URL = Pattern.compile("(?:[A-Za-z][A-Za-z0-9+.-]*:)?//");

  private WrongUrl() {}

  /**
   * Returns a URL that is wrong, to be shown: without its control characters, and without what may
   * be a password. The end of a password is unknown in such a URL, so all up to the last {@code @}
   * is removed.
   */
  public static String shown(String url) {
    int at = url.lastIndexOf('@');
    if (at < 0) {
      return HarmlessText.visible(url);
    }
    Matcher begin = BEGIN_OF_URL.matcher(url);
    int from = begin.lookingAt() && begin.end() <= at ? begin.end() : 0;
    return HarmlessText.visible(url.substring(0, from) + "***" + url.substring(at));
  }
}
