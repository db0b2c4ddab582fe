import { isList, type JsonValue } from '../json/json.ts';

/** Whether a keyword is allowed in a strict schema: always, or depending on its value. The function must not throw. */
export type SchemaKeyword = true | ((value: JsonValue) => boolean);

/** What is counted of a strict schema, references not followed: each definition counts once. */
export interface SchemaCounts {
  /** Properties of all objects. */
  readonly properties: number;
  /** Values of all `enum`s. */
  readonly enumValues: number;
  /** Properties that a value may leave out. */
  readonly optionalProperties: number;
  /** Places with an `anyOf` or with several types. */
  readonly unions: number;
}

/** How much one strict schema may hold. What is absent has no limit. */
export interface SchemaLimits extends Partial<SchemaCounts> {
  /** Levels of objects within each other. */
  readonly nesting?: number;
}

/**
 * The part of JSON Schema that a provider enforces: the form in which `projectSchema` writes schemas. In each of them objects
 * are closed, lists have a schema for their items, alternatives are `anyOf`, `$ref` leads to a definition and has no
 * siblings, and there is no `allOf`.
 */
export interface SchemaDialect {
  /** The provider's name for log lines, such as `OpenAI`. */
  readonly provider: string;
  /**
   * What may be said about a value besides its shape: bounds, `format`, `pattern`, `enum`, `const`, `examples`. A `title` and a
   * `description` are always kept; a `default` is always added to the description.
   */
  readonly keywords: Readonly<Record<string, SchemaKeyword>>;
  /**
   * What happens to a constraint that is not among `keywords`, and of a `oneOf` whose alternatives do not exclude each other:
   *
   * - `described`: it is added to the description, reported, and checked by this library only;
   * - `refused`: the schema is sent as it is, not strict.
   */
  readonly otherConstraints: 'described' | 'refused';
  /**
   * What happens to a property that may be left out:
   *
   * - `kept`: it may be left out there, too;
   * - `nullable`: it is required, and null means "not given";
   * - `refused`: the schema is sent as it is, not strict, unless the property takes null anyway and can be required.
   */
  readonly optionalProperties: 'kept' | 'nullable' | 'refused';
  /** Whether `type` may name several types; else each becomes an alternative. */
  readonly typeLists: boolean;
  /** Whether `type` accompanies `enum` and `const`, which imply it. */
  readonly typeBesideFixedValues: boolean;
  /** Whether a schema may contain itself. */
  readonly recursion: boolean;
  readonly limits: SchemaLimits;
  /** How much the strict schemas of one request may hold together. What is absent has no limit. Default: none. */
  readonly requestLimits?: {
    /** Tools that are strict. */
    readonly tools?: number;
    readonly optionalProperties?: number;
    readonly unions?: number;
  };
}

/** How much the strict schemas of one request may hold together. */
export type SchemaRequestLimits = NonNullable<SchemaDialect['requestLimits']>;

/** A part of a schema that a provider does not enforce, or that keeps the schema from being strict. */
export interface SchemaLoss {
  /** JSON pointer to the place in the schema, references followed; empty for the root. */
  readonly path: string;
  /** The keyword of JSON Schema it concerns; empty where it concerns the whole schema. */
  readonly keyword: string;
  /** What happens to it, or what prevents it, in a short phrase. */
  readonly note: string;
}

/** Keeps `format` for these formats. */
export function formats(...names: readonly string[]): SchemaKeyword {
  const known = new Set<JsonValue>(names);
  return (format) => known.has(format);
}

/** Keeps a `pattern` without what needs backtracking: lookaround and backreferences. */
export const plainPatterns: SchemaKeyword = (pattern) =>
  typeof pattern === 'string' && !/\(\?[=!<]|\\[1-9]|\\k</.test(pattern);

/** Keeps `enum` and `const` where nothing in it is a list or an object. */
export const scalarsOnly: SchemaKeyword = (fixed) => (isList(fixed) ? fixed : [fixed]).every(isScalar);

/** Keeps `minItems` where it only says whether a list may be empty. */
export const noneOrOne: SchemaKeyword = (count) => count === 0 || count === 1;

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}
