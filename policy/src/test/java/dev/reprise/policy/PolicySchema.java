package dev.reprise.policy;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

/** The published schema of all policies, as a validator that nobody here wrote reads it. */
final class PolicySchema {
  private static final Schema SCHEMA =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(PolicyDocuments.policySchema(), InputFormat.JSON);

  private PolicySchema() {}

  static boolean accepts(String json) {
    return SCHEMA.validate(json, InputFormat.JSON).isEmpty();
  }
}
