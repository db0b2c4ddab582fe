/** Something of a schema that a provider does not hold a model to, or that keeps the schema from being strict. */
export interface SchemaLoss {
  /** JSON pointer to the place in the schema, references followed; empty for the root. */
  readonly path: string;
  /** The keyword of JSON Schema that it is about; empty where it is about the whole. */
  readonly keyword: string;
  /** What becomes of it, or what is in the way, in a few words. */
  readonly note: string;
}
