import { OverridesError } from '../../error/index.ts';
import {
  choice,
  compileSchema,
  constant,
  describeIssues,
  dictionary,
  type Field,
  freezeJson,
  json,
  list,
  optional,
  parseInputSync,
  record,
  recordSchema,
  text,
} from '../../schema/index.ts';
import type { ToolExample } from '../../tool/index.ts';
import { hashOfExamples, hashOfText } from '../plan/descriptors.ts';
import type { Visibility } from '../visibility/visibility.ts';

/** A replacement for a text of the code. */
export interface TextOverride {
  /** Hash of the text of the code that it was written for; when that text is another by now, the override is stale. */
  readonly hash: string;
  readonly text: string;
}

/** What of a section is overridden. */
export interface SectionOverride {
  /** A template: `$name` or `${name}` for a param of the section, `$$` for a dollar. */
  readonly body?: TextOverride;
  /** A template, as `body`. */
  readonly summary?: TextOverride;
  /** Replaces the section's own visibility. It has no hash: it depends on no text. */
  readonly visibility?: Visibility;
}

/** What of a tool is overridden. */
export interface ToolOverride {
  /** Hash of what the tool takes and yields; when that is another by now, all of the override is stale. */
  readonly contract: string;
  /** 1 to 200 characters. */
  readonly description?: TextOverride;
  /** Path of a parameter, such as `city` or `stops[].name`, → its description; an empty text for none. */
  readonly params?: Readonly<Record<string, TextOverride>>;
  /** Replaces all examples of the tool. */
  readonly examples?: { readonly hash: string; readonly examples: readonly ToolExample[] };
}

/**
 * Replacements for the text of a prompt, so that its wording can be changed without a new version of the program.
 * Plain JSON. Made by `prompt.seedOverrides()`, edited, kept in an `OverridesStore`.
 */
export interface PromptOverrides {
  /** Form of this document. */
  readonly version: 1;
  readonly ns: string;
  readonly key: string;
  /** Which set of overrides of the prompt this is. */
  readonly tag: string;
  /** Path of a section → what is overridden. */
  readonly sections: Readonly<Record<string, SectionOverride>>;
  /** Name of a tool → what is overridden. */
  readonly tools: Readonly<Record<string, ToolOverride>>;
}

const textOverride = record({ hash: text, text });
const edited = optional(textOverride);
// An input that may be anything may be absent.
const example = record({ description: text, input: optional(json()), output: optional(json()) });
const document = compileSchema(
  recordSchema({
    version: constant(1),
    ns: text,
    key: text,
    tag: text,
    sections: dictionary(
      record({ body: edited, summary: edited, visibility: optional(choice('full', 'summary')) }),
    ),
    tools: dictionary(
      record({
        contract: text,
        description: edited,
        params: optional(dictionary(textOverride)),
        examples: optional(record({ hash: text, examples: list(example) as Field<readonly ToolExample[]> })),
      }),
    ),
  }),
);

/**
 * Reads overrides from what JSON holds. Checks their form alone; whether they fit a prompt is `prompt.checkOverrides()`'s
 * to say.
 * @throws {OverridesError} `overrides-version-unsupported`, `overrides-corrupt` naming each place.
 */
export function parseOverrides(value: unknown): PromptOverrides {
  const version: unknown = Object(value).version;
  if (typeof version === 'number' && version > 1) {
    throw new OverridesError(
      'overrides-version-unsupported',
      `The overrides have version ${version}; this version of the library reads 1. Use a newer one.`,
      { details: { version } },
    );
  }
  const outcome = parseInputSync(document, value);
  if (outcome.ok) return freezeJson(outcome.value, 'prompt overrides');
  throw new OverridesError(
    'overrides-corrupt',
    `These are not prompt overrides:\n${describeIssues(outcome.issues)}`,
  );
}

/** False for a text that still equals its seed: leaving it out changes nothing, whatever the code says. */
export function isEditedText(override: TextOverride | undefined): override is TextOverride {
  return override !== undefined && hashOfText(override.text) !== override.hash;
}

/** As for {@link TextOverride}. */
export function areEditedExamples(
  override: ToolOverride['examples'],
): override is NonNullable<ToolOverride['examples']> {
  return override !== undefined && hashOfExamples(override.examples) !== override.hash;
}

/** Whether any part of it was edited. */
export function isEditedSection({ body, summary, visibility }: SectionOverride): boolean {
  return visibility !== undefined || isEditedText(body) || isEditedText(summary);
}

/** Whether any part of it was edited. */
export function isEditedTool({ description, params = {}, examples }: ToolOverride): boolean {
  return isEditedText(description) || Object.values(params).some(isEditedText) || areEditedExamples(examples);
}
