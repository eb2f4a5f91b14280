package dev.reprise.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What a public repository asks of a POM, and which modules are published at all. */
class PublishedPomsTest {
  private static final Path ROOT = CookbookTest.ROOT;

  /** A child has these from its parent; Maven would append its name to the addresses otherwise. */
  private static final List<String> INHERITED =
      List.of(
          "url",
          "licenses/license/name",
          "licenses/license/url",
          "developers/developer/name",
          "developers/developer/organizationUrl",
          "scm/connection",
          "scm/developerConnection",
          "scm/url",
          "issueManagement/url");

  private static final Set<String> LIBRARIES =
      Set.of(
          "common",
          "core",
          "device",
          "ecosystem/micrometer",
          "ecosystem/opentelemetry",
          "ecosystem/reactor",
          "ecosystem/spring-boot",
          "lab",
          "policy",
          "service/webhook",
          "smithy/generator",
          "smithy/runtime",
          "testkit");

  private final XPath xpath = XPathFactory.newInstance().newXPath();

  @Test
  void libraryModulesArePublishedAndNoOthers() throws Exception {
    Set<String> published = new TreeSet<>();
    for (String module : modules()) {
      if (!text(pom(module), "properties/maven.deploy.skip").equals("true")) {
        published.add(module);
      }
    }

    assertThat(published).isEqualTo(new TreeSet<>(LIBRARIES));
  }

  @Test
  void theRootSaysWhatEveryModuleInherits() throws Exception {
    Document root = pom("");
    for (String path : INHERITED) {
      assertThat(text(root, path)).as(path).isNotEmpty();
    }
    for (String inherited :
        List.of(
            "/project/@child.project.url.inherit.append.path",
            "/project/scm/@child.scm.connection.inherit.append.path",
            "/project/scm/@child.scm.developerConnection.inherit.append.path",
            "/project/scm/@child.scm.url.inherit.append.path")) {
      assertThat(xpath.evaluate(inherited, root)).as(inherited).isEqualTo("false");
    }
  }

  @Test
  void everyModuleHasANameAndADescriptionOfItsOwn() throws Exception {
    List<String> names = new ArrayList<>();
    for (String module : modules()) {
      Document pom = pom(module);
      assertThat(text(pom, "description")).as(module).isNotEmpty();
      names.add(text(pom, "name"));
      for (String path : INHERITED) {
        assertThat(text(pom, path)).as(module + " has its parent's " + path).isEmpty();
      }
    }
    assertThat(names).doesNotContain("").doesNotHaveDuplicates();
  }

  /** With {@code -Pdocs} each has a jar of its sources and one of its Javadoc, which has pages. */
  @Test
  void publishedModulesHaveSourcesAndJavadoc() throws Exception {
    for (String module : LIBRARIES) {
      Document pom = pom(module);
      assertThat(text(pom, "properties/maven.javadoc.skip")).as(module).isEmpty();
      assertThat(text(pom, "properties/maven.source.skip")).as(module).isEmpty();
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        assertThat(files.filter(file -> file.endsWith("package-info.java")))
            .as(module)
            .isNotEmpty();
      }
    }
    Document root = pom("");
    String docs = "/project/profiles/profile[id='docs']/build/plugins/plugin/artifactId";
    assertThat(texts(root, docs)).contains("maven-source-plugin", "maven-javadoc-plugin");
  }

  /** Nobody can resolve a module that is published with a dependency on one that is not. */
  @Test
  void publishedModulesNeedOnlyPublishedOnes() throws Exception {
    Set<String> published = new TreeSet<>();
    for (String module : LIBRARIES) {
      published.add(text(pom(module), "artifactId"));
    }
    for (String module : LIBRARIES) {
      String ours =
          "/project/dependencies/dependency[groupId='dev.reprise' and"
              + " not(scope='test')]/artifactId";
      assertThat(published).as(module).containsAll(texts(pom(module), ours));
    }
  }

  /** Of a jar without either, the name would be made of its file name, which may change. */
  @Test
  void publishedModulesHaveAStableNameOnTheModulePath() throws Exception {
    List<String> names = new ArrayList<>();
    for (String module : LIBRARIES) {
      Path descriptor = ROOT.resolve(module).resolve("src/main/java/module-info.java");
      String name = Files.exists(descriptor) ? declared(descriptor) : automatic(pom(module));
      assertThat(name).as(module).startsWith("dev.reprise.");
      names.add(name);
    }
    assertThat(names).doesNotHaveDuplicates();
  }

  private static String declared(Path descriptor) throws Exception {
    return Pattern.compile("(?m)^(?:open )?module (\\S+) ")
        .matcher(Files.readString(descriptor))
        .results()
        .map(found -> found.group(1))
        .findFirst()
        .orElse("");
  }

  private String automatic(Document pom) throws Exception {
    return text(
        pom,
        "build/plugins/plugin[artifactId='maven-jar-plugin']"
            + "/configuration/archive/manifestEntries/Automatic-Module-Name");
  }

  private static List<String> modules() throws Exception {
    return Pattern.compile("<module>(.*?)</module>")
        .matcher(Files.readString(ROOT.resolve("pom.xml")))
        .results()
        .map(module -> module.group(1))
        .toList();
  }

  private static Document pom(String module) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(ROOT.resolve(module).resolve("pom.xml").toFile());
  }

  private String text(Document pom, String path) throws Exception {
    return xpath.evaluate("/project/" + path, pom).strip();
  }

  private List<String> texts(Document pom, String path) throws Exception {
    List<String> found = new ArrayList<>();
    NodeList nodes = (NodeList) xpath.evaluate(path, pom, XPathConstants.NODESET);
    for (int i = 0; i < nodes.getLength(); i++) {
      Node node = nodes.item(i);
      found.add(node.getTextContent().strip());
    }
    return found;
  }
}
