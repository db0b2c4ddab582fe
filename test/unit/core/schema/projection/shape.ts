import type { JsonSchema, JsonValue } from 'weakincentives';
import { aiSdkDialect } from 'weakincentives/ai-sdk';
import { anthropicDialect } from 'weakincentives/anthropic';
import { openaiDialect } from 'weakincentives/openai';
import type { SchemaDialect } from 'weakincentives/provider';

export type DialectName = 'openai' | 'anthropic' | 'ai-sdk';

export const dialects: Readonly<Record<DialectName, SchemaDialect>> = {
  openai: openaiDialect,
  anthropic: anthropicDialect,
  'ai-sdk': aiSdkDialect,
};

/** What a schema is expected to become: strict in the given form, or sent as it is for the given reasons. */
export type Expected =
  | { readonly strict: true; readonly schema: JsonSchema | 'same'; readonly lost: readonly string[] }
  | { readonly strict: false; readonly lost: readonly string[] };

/** A value that fits the original schema, and how a model writes it for OpenAI where that differs. */
export interface Sample {
  readonly value: JsonValue;
  readonly written?: JsonValue;
}

export interface Shape {
  readonly name: string;
  /** The schema of the required property `it`; of the whole when `isWhole`. */
  readonly schema: JsonSchema;
  readonly isWhole: boolean;
  /** Definitions beside the object with the property `it`. */
  readonly $defs?: JsonSchema;
  readonly samples: readonly Sample[];
  /** A value that the projection may let through and the original refuses. */
  readonly broken?: JsonValue;
  readonly becomes: Readonly<Record<DialectName, Expected>>;
}

/** Losses are written as `keyword`, or as `path keyword` with a path from the schema of the row. */
export function strict(schema: JsonSchema | 'same' = 'same', ...lost: readonly string[]): Expected {
  return { strict: true, schema, lost };
}

export function advice(...lost: readonly string[]): Expected {
  return { strict: false, lost };
}

export function inEach(expected: Expected): Shape['becomes'] {
  return { openai: expected, anthropic: expected, 'ai-sdk': expected };
}

export function shape(
  name: string,
  schema: JsonSchema,
  values: readonly JsonValue[],
  becomes: Shape['becomes'],
  more: Partial<Shape> = {},
): Shape {
  return { name, schema, isWhole: false, samples: values.map((value) => ({ value })), becomes, ...more };
}

export const text: JsonSchema = { type: 'string' };

export function closed(
  properties: JsonSchema,
  required: readonly string[] = Object.keys(properties),
): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function described(...constraints: readonly [string, JsonValue][]): string {
  return constraints
    .map(([keyword, value]) => `Must satisfy ${keyword}: ${JSON.stringify(value)}.`)
    .join(' ');
}
