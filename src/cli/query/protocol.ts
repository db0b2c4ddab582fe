// Messages between the command and the process of a query, one line of JSON each. To the process: one input, then the rows, then the end of
// them: a stream that ends before is not answered. From it: the columns, the rows, and how many were left out; or an error, at any place.

/** What the process gets first. */
export interface QueryInput {
  readonly sql: string;
  readonly tables: readonly { readonly name: string; readonly create: string; readonly columns: number }[];
  /** What is sent at most; rows beyond are counted. */
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** A row: the index of its table, and a value for every column. */
export type SentRow = readonly [table: number, ...values: readonly (string | number | null)[]];

/** What comes after the last row. */
export type EndOfRows = readonly [];

/** A value of a result: what JSON has no word for is an object. */
export type QueryValue =
  | string
  | number
  | null
  /** Beyond the integers that a number holds exactly. */
  | { readonly integer: string }
  | { readonly real: string }
  /** Bytes, in hexadecimal. */
  | { readonly blob: string };

/** What the process sends. */
export type QueryOutput =
  | { readonly columns: readonly string[] }
  | { readonly row: readonly QueryValue[] }
  | { readonly leftOut: number }
  | { readonly error: string; readonly isTooLarge: boolean };
