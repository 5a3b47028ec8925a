/** Keywords whose value is a schema. */
export const partKeys = new Set(
  "items additionalProperties not contains propertyNames if then else unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);
/** Keywords whose value is a list of schemas. */
export const partListKeys = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords whose value has a schema for each name. */
export const partMapKeys = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);

/** Members of a document, outside its schemas, whose keys are names that the document chose. */
export const nameMapKeys = new Set(
  "paths webhooks pathItems parameters headers responses requestBodies callbacks links content encoding securitySchemes".split(
    " ",
  ),
);
/** Members of a document, outside its schemas, that hold data and no schema. */
export const literalKeys = new Set(["default", "enum", "example", "examples", "value", "variables"]);
