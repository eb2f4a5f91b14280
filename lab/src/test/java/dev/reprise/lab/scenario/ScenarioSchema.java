package dev.reprise.lab.scenario;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

/** The published schema, as a validator that nobody here wrote reads it. */
final class ScenarioSchema {
  private static final Schema SCHEMA =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(ScenarioDocuments.schema(), InputFormat.JSON);

  private ScenarioSchema() {}

  static boolean accepts(String json) {
    return SCHEMA.validate(json, InputFormat.JSON).isEmpty();
  }
}
