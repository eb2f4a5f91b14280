package dev.reprise.dist;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads from a class file which packages it refers to (JVMS 4.4). {@code jdeps} tells the same of
 * all jars in a minute, this in seconds.
 */
final class ClassReferences {
  private static final int UTF8 = 1;
  private static final int CLASS = 7;
  private static final Pattern IN_DESCRIPTOR = Pattern.compile("L([\\w$/]+);");

  private ClassReferences() {}

  /** Returns the packages, divided by full stops, of all types that are named. */
  static Set<String> packages(InputStream classFile) throws IOException {
    DataInputStream in = new DataInputStream(classFile);
    in.skipNBytes(8);
    int count = in.readUnsignedShort();
    String[] texts = new String[count];
    Set<Integer> classes = new HashSet<>();
    for (int i = 1; i < count; i++) {
      int tag = in.readUnsignedByte();
      switch (tag) {
        case UTF8 -> texts[i] = in.readUTF();
        case CLASS -> classes.add(in.readUnsignedShort());
        // A text, a type of a method, a module, a package.
        case 8, 16, 19, 20 -> in.skipNBytes(2);
        case 15 -> in.skipNBytes(3);
        // A number; or a member, in two halves.
        case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
        case 5, 6 -> {
          in.skipNBytes(8);
          // Takes two places.
          i++;
        }
        default -> throw new IOException("constant with the tag " + tag);
      }
    }
    Set<String> packages = new HashSet<>();
    for (int name : classes) {
      if (!texts[name].startsWith("[")) {
        add(packages, texts[name]);
      }
    }
    for (String text : texts) {
      if (text != null && (text.startsWith("(") || text.startsWith("L") || text.startsWith("["))) {
        Matcher types = IN_DESCRIPTOR.matcher(text);
        while (types.find()) {
          add(packages, types.group(1));
        }
      }
    }
    return packages;
  }

  private static void add(Set<String> packages, String type) {
    int end = type.lastIndexOf('/');
    if (end > 0) {
      packages.add(type.substring(0, end).replace('/', '.'));
    }
  }
}
