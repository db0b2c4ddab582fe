/** Something of a schema that the provider cannot be told. */
export interface SchemaLoss {
  /** JSON pointer to the place in the schema; empty for the root. */
  readonly path: string;
  readonly keyword: string;
  readonly note: string;
}
