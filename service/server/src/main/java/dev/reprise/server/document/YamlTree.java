package dev.reprise.server.document;

import dev.reprise.policy.document.JsonFault;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Turns one document of a YAML parser into a tree of Jackson. Not thread-safe. */
final class YamlTree {
  private static final int MAX_REPEATED = 200_000;
  private static final int MAX_DIGITS = 1_000;

  /** The tag of what is written without quotes and without a tag. */
  private static final Tag PLAIN = new Tag("tag:reprise,plain");

  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?");

  private static final JsonMapper JSON = JsonFault.strictMapper();
  private static final JsonNodeFactory FACTORY = JSON.getNodeFactory();

  private final Map<String, YamlDocument.Mark> marks = new HashMap<>();
  private final Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Node> around = Collections.newSetFromMap(new IdentityHashMap<>());
  private int repeated;

  /** Leaves it to this class what a text without quotes is. */
  static final class Resolver extends org.yaml.snakeyaml.resolver.Resolver {
    @Override
    protected void addImplicitResolvers() {
      // None: they are those of YAML 1.1.
    }

    @Override
    public Tag resolve(NodeId kind, String value, boolean implicit) {
      return kind == NodeId.scalar && implicit ? PLAIN : super.resolve(kind, value, implicit);
    }
  }

  Map<String, YamlDocument.Mark> marks() {
    return marks;
  }

  JsonNode read(Node root) throws YamlText.Fault {
    return read(root, "", 1);
  }

  private JsonNode read(Node node, String pointer, int depth) throws YamlText.Fault {
    // By aliases, parts can lie deeper in each other than the text shows.
    if (depth > YamlText.MAX_DEPTH) {
      throw fault(node, "parts lie more than " + YamlText.MAX_DEPTH + " levels deep in each other");
    }
    if (!seen.add(node) && ++repeated > MAX_REPEATED) {
      throw fault(node, "aliases repeat more than " + MAX_REPEATED + " parts");
    }
    if (node instanceof ScalarNode scalar) {
      return scalar(scalar);
    }
    if (!around.add(node)) {
      throw fault(node, "an alias stands within what it repeats");
    }
    JsonNode read =
        node instanceof MappingNode mapping
            ? mapping(mapping, pointer, depth)
            : sequence((SequenceNode) node, pointer, depth);
    around.remove(node);
    return read;
  }

  private ObjectNode mapping(MappingNode mapping, String pointer, int depth) throws YamlText.Fault {
    checkTag(mapping, Tag.MAP);
    ObjectNode object = FACTORY.objectNode();
    for (NodeTuple entry : mapping.getValue()) {
      String name = name(entry.getKeyNode());
      if (object.has(name)) {
        throw fault(entry.getKeyNode(), "the key \"" + name + "\" is given twice");
      }
      String below = YamlDocument.pointer(pointer, name);
      mark(below, entry.getKeyNode());
      object.set(name, read(entry.getValueNode(), below, depth + 1));
    }
    return object;
  }

  private static String name(Node key) throws YamlText.Fault {
    if (!(key instanceof ScalarNode scalar)) {
      throw fault(key, "a key must be text");
    }
    checkTag(key, Tag.STR);
    if (key.getTag().equals(PLAIN) && scalar.getValue().equals("<<")) {
      throw fault(
          key, "merge keys (<<) are not taken: repeat whole values by *aliases, or write them");
    }
    return scalar.getValue();
  }

  private ArrayNode sequence(SequenceNode sequence, String pointer, int depth)
      throws YamlText.Fault {
    checkTag(sequence, Tag.SEQ);
    ArrayNode array = FACTORY.arrayNode();
    for (Node element : sequence.getValue()) {
      String below = pointer + "/" + array.size();
      mark(below, element);
      array.add(read(element, below, depth + 1));
    }
    return array;
  }

  private static JsonNode scalar(ScalarNode scalar) throws YamlText.Fault {
    checkTag(scalar, Tag.STR);
    String value = scalar.getValue();
    if (!scalar.getTag().equals(PLAIN)) {
      return FACTORY.stringNode(value);
    }
    return switch (value) {
      case "true" -> FACTORY.booleanNode(true);
      case "false" -> FACTORY.booleanNode(false);
      case "null", "~", "" -> FACTORY.nullNode();
      default ->
          value.length() <= MAX_DIGITS && NUMBER.matcher(value).matches()
              // As in JSON, whose numbers these are.
              ? JSON.readTree(value)
              : FACTORY.stringNode(value);
    };
  }

  private static void checkTag(Node node, Tag expected) throws YamlText.Fault {
    Tag tag = node.getTag();
    if (!tag.equals(expected) && !tag.equals(PLAIN)) {
      String name = tag.getValue().replace(Tag.PREFIX, "!!");
      throw fault(node, "the tag " + name + " is not taken");
    }
  }

  private void mark(String pointer, Node node) {
    YamlDocument.Mark mark = YamlText.mark(node.getStartMark());
    if (mark != null) {
      marks.put(pointer, mark);
    }
  }

  private static YamlText.Fault fault(Node node, String rule) {
    return new YamlText.Fault(YamlText.mark(node.getStartMark()), rule);
  }
}
