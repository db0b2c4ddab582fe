import { assertArgument, PromptValidationError } from '../../error/index.ts';
import { once } from '../../internal/index.ts';
import { described, list, recordSchema, text } from '../../schema/index.ts';
import { defineSystemEvent, type EventDefinition, type ReadonlySessionView } from '../../session/index.ts';
import {
  type AnyTool,
  type ShownSection,
  type ToolContext,
  ToolResult,
  type ToolSucceededPayload,
  tool,
} from '../../tool/index.ts';

/** A section that was opened. */
export interface OpenedSection {
  /** Dotted path. */
  readonly section: string;
  /** The sections that are shown in full since, this one among them; absent where another one of the same call says it. */
  readonly shown?: readonly string[];
}

/** Value of a call that opened sections. JSON-safe. */
export interface SectionsOpenedPayload {
  /** Namespace and key of the prompt, joined by `/`. */
  readonly prompt: string;
  /** The evaluation whose model was shown them. */
  readonly evaluationId: string;
  readonly opened: readonly { [Name in keyof OpenedSection]: OpenedSection[Name] }[];
  /** Every section of the text, in order. */
  readonly shown: readonly { [Name in keyof ShownSection]: ShownSection[Name] }[];
  /** What the model reads. */
  readonly text: string;
}

/** Value of a call that read a section. */
export interface SectionReadValue {
  readonly section: string;
  readonly text: string;
}

/** Arguments of `open_sections`. */
export interface OpenSectionsParams {
  readonly section_keys: readonly string[];
  readonly reason: string;
}

/** Dispatched inside the call that opens sections, so that they are open when the call is committed. */
export const SectionsOpened: EventDefinition<
  ToolSucceededPayload<unknown, unknown>,
  ToolSucceededPayload<
    { [Name in keyof OpenSectionsParams]: OpenSectionsParams[Name] },
    SectionsOpenedPayload
  >
> = defineSystemEvent<ToolSucceededPayload<unknown, unknown>>(
  'weakincentives.sections-opened',
) as EventDefinition<
  // Only calls of the tool below dispatch it, with what its handler yields.
  ToolSucceededPayload<unknown, unknown>,
  ToolSucceededPayload<OpenSectionsParams, SectionsOpenedPayload>
>;

/** The names of the tools that open and read sections, in prompts that have summaries. */
export const sectionToolNames = { open: 'open_sections', read: 'read_section' } as const;

/**
 * Opens summarised sections: its result is their text, and their tools can be called from the next turn on. With effects
 * `read`: what it changes is what the model sees, by the event of its success. Made for the first prompt that needs it.
 */
export const openSections: () => AnyTool = once(() =>
  Object.freeze({
    ...tool({
      name: sectionToolNames.open,
      description:
        'Opens summarised sections of the instructions: shows them in full and makes their tools available from the next turn on.',
      inputSchema: recordSchema({
        section_keys: described(list(text), {
          minItems: 1,
          description: 'Addresses of the sections, as shown in brackets after the headings.',
        }),
        reason: described(text, { description: 'Why they are needed, in one sentence.' }),
      }),
      effects: 'read',
      pure: true,
      idempotent: true,
      // What it shows are instructions, which are as long as their author made them.
      maxResultCharacters: Infinity,
      acceptsOverrides: false,
      // The handler below yields nothing else, and only values of successes are rendered.
      render: (value) => (value as SectionsOpenedPayload).text,
      execute: ({ section_keys }, context) =>
        sectionsOf(context)?.open(section_keys, context) ?? ToolResult.error(notRendered),
    }),
    succeeded: SectionsOpened,
  }),
);

/** Reads a summarised section without opening it. Made as the one above. */
export const readSection: () => AnyTool = once(() =>
  tool({
    name: sectionToolNames.read,
    description: 'Reads a summarised section of the instructions in full.',
    inputSchema: recordSchema({
      section_key: described(text, {
        description: 'Address of the section, as shown in brackets after its heading.',
      }),
    }),
    effects: 'read',
    pure: true,
    maxResultCharacters: Infinity,
    idempotent: true,
    acceptsOverrides: false,
    // The handler below yields nothing else, and only values of successes are rendered.
    render: (value) => (value as SectionReadValue).text,
    execute: ({ section_key }, context) =>
      sectionsOf(context)?.read(section_key, context) ?? ToolResult.error(notRendered),
  }),
);

/** What handlers of a rendered prompt may ask about its sections. @internal */
export interface SectionAccess {
  /** Opens sections, as the call of this context. @param keys dotted paths. */
  open(keys: readonly string[], context: ToolContext): Promise<ToolResult<unknown>>;
  /** The text of a section that stays as it is, as the call of this context. @param key dotted path. */
  read(key: string, context: ToolContext): Promise<ToolResult<unknown>>;
  /** Whether the model has been shown a section in full; undefined when there is none. @param key dotted path. */
  isOpen(key: string, session: ReadonlySessionView): boolean | undefined;
}

const notRendered = 'There are no sections here that could be shown.';

/**
 * Tells a handler whether the model has been shown a section in full in this evaluation: from the start, or because it was opened.
 * What another call of the turn opens counts from its commit on; a call that has asked before is run again then.
 *
 * @param section dotted path.
 * @throws {PromptValidationError} when the prompt has no such section.
 */
export function isSectionOpen(context: ToolContext, section: string): boolean {
  assertArgument('isSectionOpen()', 'context', context, 'object');
  assertArgument('isSectionOpen()', 'context.prompt', context.prompt, 'object');
  const isOpen = sectionsOf(context)?.isOpen(section, context.session);
  if (isOpen !== undefined) return isOpen;
  throw new PromptValidationError(
    `There is no section "${section}" in the prompt "${context.prompt.name}"; give its dotted path.`,
    { details: { section } },
  );
}

function sectionsOf({ renderedPrompt }: ToolContext): SectionAccess | undefined {
  // The runtime hands out rendered prompts; the port names what handlers may use of them.
  return (renderedPrompt as { readonly '~sections'?: SectionAccess })['~sections'];
}
