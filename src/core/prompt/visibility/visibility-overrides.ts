import { present } from '../../internal/index.ts';
import {
  choice,
  described,
  jsonSchema,
  list,
  optional,
  record,
  recordSchema,
  text,
} from '../../schema/index.ts';
import {
  defineEvent,
  defineSystemSlice,
  type EventDefinition,
  installedSlice,
  type ReadonlySessionView,
  type Slice,
} from '../../session/index.ts';
import { SectionsOpened } from './section-tools.ts';
import type { Visibility } from './visibility.ts';

/** How much of one section is shown in a session, overriding the section's own visibility. */
export interface VisibilityOverride {
  /** Namespace and key of the prompt, joined by `/`. */
  readonly prompt: string;
  /** Dotted path of the section. */
  readonly section: string;
  readonly visibility: Visibility;
  /** Present when a model opened the section: in which evaluation, and what it was shown in full since. */
  readonly opened?: { readonly evaluationId: string; readonly shown: readonly string[] };
}

const filled = described(text, { minLength: 1 });
const name = filled.schema;

/**
 * Shows a section in full, or its summary, from the next rendering of the prompt on. Without effect on a section that has no
 * summary; evaluations log a warning then.
 */
export const SetVisibility: EventDefinition<
  Pick<VisibilityOverride, 'prompt' | 'section' | 'visibility'>,
  Pick<VisibilityOverride, 'prompt' | 'section' | 'visibility'>
> = defineEvent({
  name: 'weakincentives.set-visibility',
  schema: recordSchema({ prompt: filled, section: filled, visibility: choice('full', 'summary') }),
});

/** What {@link ClearVisibility} clears: one section, every section of a prompt, or without `prompt` all of them. */
type ClearedVisibility =
  | Pick<VisibilityOverride, 'prompt' | 'section'>
  | { readonly prompt?: string; readonly section?: undefined };

/** Leaves the visibility of sections to themselves again: of one section, of every section of a prompt, or without `prompt` of all. */
export const ClearVisibility: EventDefinition<ClearedVisibility, ClearedVisibility> = defineEvent({
  name: 'weakincentives.clear-visibility',
  schema: jsonSchema<ClearedVisibility>({
    type: 'object',
    properties: { prompt: name, section: name },
    additionalProperties: false,
    dependentRequired: { section: ['prompt'] },
  }),
});

const keyOf = (prompt: string, section: string): string => JSON.stringify([prompt, section]);

/**
 * The visibility of sections in a session, one item per section; wins over what sections say of themselves. What a model opens
 * stays open here for later evaluations. Part of snapshots and exports, rolled back with a failing call. Evaluating a prompt
 * that has summaries installs it; install it yourself before dispatching to a new session, and before `importState()`.
 */
export const VisibilityOverrides: Slice<VisibilityOverride> = defineSystemSlice<VisibilityOverride>({
  name: 'weakincentives.visibility-overrides',

  key: ({ prompt, section }) => keyOf(prompt, section),
  systemState: true,
  reducers: (on) => [
    on(SetVisibility, (items, { prompt, section, visibility: set }) =>
      items.append({ prompt, section: section.toLowerCase(), visibility: set }),
    ),
    on(ClearVisibility, (items, { prompt, section }) => {
      if (prompt !== undefined && section !== undefined)
        return items.remove(keyOf(prompt, section.toLowerCase()));
      return prompt === undefined
        ? items.clear()
        : items.remove(
            ...[...items].filter((item) => item.prompt === prompt).map((item) => keyOf(prompt, item.section)),
          );
    }),
    on(SectionsOpened, (items, { value: { prompt, evaluationId, opened } }) =>
      items.extend(
        opened.map(({ section, shown }) => ({
          prompt,
          section,
          visibility: 'full' as const,
          ...present({ opened: shown === undefined ? undefined : { evaluationId, shown } }),
        })),
      ),
    ),
  ],
  importSchema: recordSchema({
    prompt: filled,
    section: filled,
    visibility: choice('full', 'summary'),
    opened: optional(record({ evaluationId: text, shown: list(filled) })),
  }),
});

/** The name of a prompt in {@link VisibilityOverrides}. */
export function promptAddress({ ns, key }: { readonly ns: string; readonly key: string }): string {
  return `${ns}/${key}`;
}

/** What the session says of a section; undefined when it says nothing, or keeps no overrides. Reads that item only. */
export function findVisibilityOverride(
  session: ReadonlySessionView,
  prompt: string,
  section: string,
): VisibilityOverride | undefined {
  return installedSlice(session, VisibilityOverrides)?.get(keyOf(prompt, section));
}

/** What the session says of the sections of a prompt. Reads all items. */
export function visibilityOverridesOf(
  session: ReadonlySessionView,
  prompt: string,
): readonly VisibilityOverride[] {
  return installedSlice(session, VisibilityOverrides)?.where((item) => item.prompt === prompt) ?? [];
}
