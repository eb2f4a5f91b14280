package dev.reprise.smithy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Arrays;
import java.util.Collections;
import java.util.Objects;
import software.amazon.smithy.model.Model;
import software.amazon.smithy.model.loader.ModelAssembler;
import software.amazon.smithy.model.loader.ModelDiscovery;

/** Models of others on the class path, each in a jar of its own. */
enum PublicModels {
  /** The official tests of the protocols of AWS. */
  PROTOCOL_TESTS("META-INF/smithy/aws-config.smithy"),
  DYNAMODB("META-INF/smithy/2012-08-10/dynamodb-2012-08-10.json"),
  SQS("META-INF/smithy/2012-11-05/sqs-2012-11-05.json");

  private static final String MANIFEST = "META-INF/smithy/manifest";

  private final String jar;

  /**
   * @param file what the jar has and no other
   */
  PublicModels(String file) {
    String url =
        Objects.requireNonNull(PublicModels.class.getResource("/" + file), file).toString();
    this.jar = url.substring(0, url.length() - file.length());
  }

  /**
   * Returns an assembler that knows the traits of all jars, and none of these models: each would
   * add its services to every model of a test.
   */
  static ModelAssembler assembler() {
    ModelAssembler assembler = Model.assembler();
    try {
      ClassLoader classes = PublicModels.class.getClassLoader();
      for (URL manifest : Collections.list(classes.getResources(MANIFEST))) {
        if (Arrays.stream(values()).noneMatch(model -> model.has(manifest))) {
          ModelDiscovery.findModels(manifest).forEach(assembler::addImport);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return assembler;
  }

  private boolean has(URL manifest) {
    return manifest.toString().equals(jar + MANIFEST);
  }

  /** Returns the model, whose traits need not all be known here. */
  Model model() {
    ModelAssembler assembler = assembler().putProperty(ModelAssembler.ALLOW_UNKNOWN_TRAITS, true);
    try {
      for (URL file : ModelDiscovery.findModels(new URL(jar + MANIFEST))) {
        // Tests of servers, with an error that another jar has.
        if (!file.getPath().contains("/restJson1/validation/")) {
          assembler.addImport(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return assembler.assemble().unwrap();
  }
}
