package dev.reprise.smithy.runtime;

import java.util.Arrays;

/**
 * The members of an object by name, 8 bytes for each. Each name is read once, however many are then
 * asked for.
 */
final class JsonMembers {
  /** The result of {@link #find} if there is no such member. */
  static final int NONE = -1;

  private final JsonTape tape;

  /** The hash of a name in the upper half and its place in the lower, in order. */
  private final long[] names;

  JsonMembers(JsonTape tape, int object) {
    this.tape = tape;
    int count = 0;
    for (int name = object + 1; name < tape.next(object); name = tape.next(name + 1)) {
      count++;
    }
    this.names = new long[count];
    int i = 0;
    for (int name = object + 1; name < tape.next(object); name = tape.next(name + 1)) {
      names[i++] = ((long) tape.string(name).hashCode() << Integer.SIZE) | name;
    }
    // Not a hash table: names that were chosen to have the same hash would make it slow.
    Arrays.sort(names);
  }

  /** Returns the place of the value of the last member of this name. */
  int find(String name) {
    int hash = name.hashCode();
    long afterAllOfThisHash = ((long) hash << Integer.SIZE) | 0xFFFF_FFFFL;
    int i = -Arrays.binarySearch(names, afterAllOfThisHash) - 2;
    while (i >= 0 && names[i] >> Integer.SIZE == hash) {
      int place = (int) names[i];
      if (tape.string(place).equals(name)) {
        return place + 1;
      }
      i--;
    }
    return NONE;
  }
}
