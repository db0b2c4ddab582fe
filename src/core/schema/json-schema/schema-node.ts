import type { Constraint } from './constraint.ts';
import type { JsonSchema } from './json-schema.ts';
import type { SchemaPattern } from './pattern.ts';
import type { StepMeter } from './step-meter.ts';

/** A `patternProperties` entry. */
interface PatternNode {
  readonly pattern: SchemaPattern;
  /** The pattern as messages show it. */
  readonly shown: string;
  readonly node: SchemaNode;
}

/** An `anyOf` or `oneOf`. */
interface UnionNode {
  readonly members: readonly SchemaNode[];
  /** Only one member may fit. */
  readonly isExclusive: boolean;
}

/** An `if` with what follows from it. */
export interface ConditionNode {
  readonly test: SchemaNode;
  readonly whenTrue: SchemaNode | undefined;
  readonly whenFalse: SchemaNode | undefined;
}

/** A `contains` with how many items have to fit. */
interface ContainsNode {
  readonly node: SchemaNode;
  readonly least: number;
  readonly most: number;
}

/** One subschema of a JSON Schema, compiled once, with its references resolved. Recursive schemas are cyclic graphs. */
export interface SchemaNode {
  readonly schema: JsonSchema;
  /** The schema `false`: nothing fits. */
  readonly isNever: boolean;
  /** Says nothing but what its constraints ask of the value by itself. */
  readonly isLeaf: boolean;
  /** Nothing in it speaks about what lies below a value: no keys, no items, no members. */
  readonly isInert: boolean;
  /** Speaks only by its own keywords: no `$ref`, `allOf`, `anyOf`, `oneOf`, conditions. */
  readonly isPlain: boolean;
  /** Several places of the document lead here, so whether a value fits is remembered; otherwise one value could be checked again and again. */
  readonly isShared: boolean;
  /** Has `properties`, `patternProperties`, `additionalProperties` or `unevaluatedProperties`. */
  readonly declaresKeys: boolean;
  /** `type` is `object`. */
  readonly isObject: boolean;
  /** What the schema's own `type`, `enum`, `const` and bounds ask of the value by itself. */
  readonly constraints: readonly Constraint[];
  /** True when all constraints hold, and the schema is not `false`. */
  readonly holds: (value: unknown) => boolean;
  readonly required: ReadonlySet<string>;
  /** Asks more of keys than which there are and what they hold: `propertyNames`, `dependentRequired`, `unevaluatedProperties`. */
  readonly hasKeyRules: boolean;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly patterns: readonly PatternNode[];
  /** The explicit schema of further keys; undefined when there is none. */
  readonly additional: SchemaNode | undefined;
  /** The schema of keys that no part of the whole knows. */
  readonly unevaluatedKeys: SchemaNode | undefined;
  readonly keyNames: SchemaNode | undefined;
  readonly prefixItems: readonly SchemaNode[];
  readonly items: SchemaNode | undefined;
  readonly unevaluatedItems: SchemaNode | undefined;
  readonly contains: ContainsNode | undefined;
  /** Schemas that hold as well: the target of a reference, the members of `allOf`. */
  readonly parts: readonly SchemaNode[];
  readonly unions: readonly UnionNode[];
  readonly conditions: readonly ConditionNode[];
  /** Schemas that hold when a key is there. */
  readonly dependents: ReadonlyMap<string, SchemaNode>;
  /** Keys that have to be there when another key is there. */
  readonly dependentKeys: ReadonlyMap<string, readonly string[]>;
  readonly not: SchemaNode | undefined;
  /** Bounds what validation costs; undefined for a schema of the author of the program. */
  readonly meter: StepMeter | undefined;
}
