package dev.reprise.smithy;

import dev.reprise.smithy.generate.SourceFiles;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The files that were generated from a model, and what its owner should know. Immutable.
 *
 * @param files the text of each file by its path below the source folder, such as {@code
 *     example/weather/errors/NoSuchCity.java}
 * @param errors how many exceptions
 * @param types how many types that the errors' members need: structures, unions and enums
 * @param companions the names of the classes that read responses, one for each service whose
 *     protocol is read
 * @param notes what the model's owner should know, one sentence each: an error whose traits
 *     contradict its status, a service whose protocol is not read
 */
public record GeneratedErrors(
    SortedMap<String, String> files,
    int errors,
    int types,
    List<String> companions,
    List<String> notes) {
  /** The first line of every generated file; other files in the folder were written by hand. */
  public static final String HEADER = SourceFiles.HEADER;

  /** The library that the files need to compile, as {@code group:artifact}. */
  public static final String DEPENDENCY = SourceFiles.DEPENDENCY;

  /** Makes the parts unchangeable. */
  public GeneratedErrors {
    files = Collections.unmodifiableSortedMap(new TreeMap<>(files));
    companions = List.copyOf(companions);
    notes = List.copyOf(notes);
  }
}
