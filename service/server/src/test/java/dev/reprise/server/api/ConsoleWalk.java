package dev.reprise.server.api;

import dev.reprise.server.api.ConsoleData.Page;
import dev.reprise.server.fixture.Browser;
import java.util.List;
import java.util.Map;

/** Looks at the pages of the console one after the other, as wide and as coloured as is asked. */
final class ConsoleWalk {
  /** Notes what the policy of the page has refused, before anything of the page runs. */
  private static final String WATCH =
      "globalThis.refused = []; addEventListener('securitypolicyviolation',"
          + " e => refused.push(e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sourceFile));";

  /** Whether a page has loaded what it shows. */
  static final String LOADED =
      "const m = document.querySelector('main#main');"
          + " return m !== null && m.querySelector('h1, h2, [role=alert]') !== null"
          + " && ![...m.querySelectorAll('[role=status]')]"
          + ".some(e => e.textContent.includes('Loading'))";

  /** All that a page has loaded, for a test that fails. */
  static final String RESOURCES =
      "return performance.getEntriesByType('resource')"
          + ".map(e => e.name + ' ' + e.transferSize).join('\\n')";

  private final Browser browser;

  ConsoleWalk(Browser browser) {
    this.browser = browser;
    browser.driver.executeCdpCommand(
        "Page.addScriptToEvaluateOnNewDocument", Map.of("source", WATCH));
  }

  /** Makes the page as wide as this, however wide a window can be. */
  void widen(int width) {
    browser.driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of(
            "width",
            width,
            "height",
            width == 3840 ? 2160 : width == 360 ? 800 : 1200,
            "deviceScaleFactor",
            1,
            "mobile",
            false));
    settle();
  }

  /** Gives the page these colours. */
  void use(String theme) {
    browser.run(
        "document.documentElement.dataset.theme = '"
            + theme
            + "'; dispatchEvent(new Event('reprise-theme'))");
    settle();
  }

  /** Waits until what has changed is drawn. */
  private void settle() {
    browser.driver.executeAsyncScript(
        "const done = arguments[0]; const end = () => { document.getAnimations().forEach(a => {"
            + " try { a.finish(); } catch { a.cancel(); } }); done(); };"
            + " requestAnimationFrame(() => requestAnimationFrame(end));");
  }

  /** Returns whether all that the page has asked for is there. */
  boolean isQuiet() {
    return Boolean.TRUE.equals(
        browser.run(
            "const now = performance.getEntriesByType('resource').length;"
                + " const before = globalThis.loadedBefore; globalThis.loadedBefore = now;"
                + " return document.readyState === 'complete' && before === now"));
  }

  /** Opens a page and waits until it has loaded what it shows. */
  void open(Page page) {
    browser.open(page.path());
    browser.see("main#main");
    browser
        .patiently()
        .withMessage(() -> page.path() + " goes on loading")
        .until(b -> Boolean.TRUE.equals(browser.run(LOADED)));
  }

  /** The refusals of the page's security policy. */
  List<?> refused() {
    return (List<?>) browser.run("return globalThis.refused");
  }
}
