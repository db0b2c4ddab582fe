import { assertOptions, type OptionsOf, PromptValidationError, rule } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { ToolPolicy } from '../../core/policy/index.ts';
import { type Section, section, type VisibilitySelector } from '../../core/prompt/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { AnyTool, ProviderTool } from '../../core/tool/index.ts';
import { type MemorySectionOptions, memorySection } from '../memory/index.ts';
import { createApplyPatchTool } from '../vfs/index.ts';
import { providerToolInstructions } from './instructions.ts';
import { shellRestartName, shellRestartTool } from './shell-restart.ts';

/** A tool of a vendor: true for it, or with the version of its type. */
export type ProviderToolChoice =
  | boolean
  | {
      /** The vendor's version, as its whole type or the date at its end, such as `20250728`. Default: the newest one that this release speaks. */
      readonly version?: string;
    };

/** Options of {@link providerToolsSection}. */
export interface ProviderToolsSectionOptions {
  /** The tools of OpenAI's Responses API. */
  readonly openai?: {
    /** `shell` for `shell_execute`, of `shellSection()`. Default: false. */
    readonly shell?: boolean;
    /** `apply_patch` for `edit_file` and `write_file`, of `vfsToolsSection()`. Default: false. */
    readonly applyPatch?: boolean;
  };
  /** The tools of Anthropic's Messages API. */
  readonly anthropic?: {
    /** `bash` for `shell_execute`, of `shellSection()`. Default: false. */
    readonly bash?: ProviderToolChoice;
    /** `str_replace_based_edit_tool` for `edit_file` and `write_file`, of `vfsToolsSection()`. Default: false. */
    readonly textEditor?: ProviderToolChoice;
    /** `memory`: the section brings the tool, as `memorySection()` does. Other models get it as any tool. Default: false. */
    readonly memory?: ProviderToolChoice;
  };
  /** What the memory may hold and begins with, with `anthropic.memory`. Default: as of `memorySection()`. */
  readonly memory?: Pick<MemorySectionOptions, 'maxBytes' | 'maxFiles' | 'seed'>;
  /** Default `provider_tools`. */
  readonly key?: string;
  /** Default `Provider Tools`. */
  readonly title?: string;
  /**
   * Rules for the tools that the section itself brings, `apply_patch` and `memory`. Those of the tools whose place `apply_patch` takes hold for it, too. Default: none.
   */
  readonly policies?: readonly ToolPolicy[];
  /** How much of the section the model sees; with `'summary'` it has the tools as they are until it is opened. Default `'full'`. A summary is provided. */
  readonly visibility?: VisibilitySelector<Record<never, never>>;
}

const sectionChecks: OptionsOf<ProviderToolsSectionOptions> = {
  openai: 'object',
  anthropic: 'object',
  memory: 'object',
  key: 'string',
  title: 'string',
  policies: 'array',
  visibility: 'any',
};

const choiceCheck = rule<ProviderToolChoice>(
  (choice) => typeof choice === 'boolean' || (typeof choice === 'object' && choice !== null),
  'true, false, or an object with a version',
);

const openaiChecks: OptionsOf<NonNullable<ProviderToolsSectionOptions['openai']>> = {
  shell: 'boolean',
  applyPatch: 'boolean',
};

const anthropicChecks: OptionsOf<NonNullable<ProviderToolsSectionOptions['anthropic']>> = {
  bash: choiceCheck,
  textEditor: choiceCheck,
  memory: choiceCheck,
};

const shell = { uses: ['shell_execute'], replaces: ['shell_execute'], from: 'shellSection()' };
const files = { replaces: ['write_file', 'edit_file'], from: 'vfsToolsSection()' };

/**
 * A section that has models use the shapes of tools that their vendors trained them on, where their adapter knows them: `shell` and `apply_patch` with OpenAI; `bash`, the text editor and `memory`
 * with Anthropic; both also with the AI SDK. A call in such a shape becomes calls of the tools of the prompt, with their transactions, policies, approvals, sandboxes and records. Other
 * models get those tools as they are.
 *
 * The tools come from the sections that have them: `shellSection()` and `vfsToolsSection()` are in the same prompt. The section itself brings `memory`, and `apply_patch` for models that have it.
 *
 * ```ts
 * import { promptTemplate, section } from 'weakincentives';
 * import { bubblewrapSandbox, shellSection } from 'weakincentives/sandbox';
 * import { providerToolsSection, vfsToolsSection } from 'weakincentives/tools';
 *
 * export const template = promptTemplate({
 *   ns: 'docs',
 *   key: 'trained-shapes',
 *   sections: [
 *     section({ title: 'Task', key: 'task', template: 'Make `sh test.sh` pass.' }),
 *     vfsToolsSection(),
 *     shellSection({ backend: bubblewrapSandbox() }),
 *     providerToolsSection({
 *       openai: { shell: true, applyPatch: true },
 *       anthropic: { bash: true, textEditor: true },
 *     }),
 *   ],
 * });
 * ```
 *
 * @throws {PromptValidationError} for options that ask for no tool, and for options of a memory that is not asked for. A template throws it for a tool that its sections do not have; an evaluation
 *   ends with it in phase `render` for a version that is not known.
 * @see docs/spec/provider-tools.md §1
 */
export function providerToolsSection(options: ProviderToolsSectionOptions): Section<Record<never, never>> {
  const of = 'providerToolsSection()';
  assertOptions(of, options, sectionChecks);
  const { openai = {}, anthropic = {}, key = 'provider_tools', title = 'Provider Tools' } = options;
  const { policies = [], visibility = 'full' } = options;
  assertOptions(of, openai, openaiChecks, { path: 'openai' });
  assertOptions(of, anthropic, anthropicChecks, { path: 'anthropic' });
  for (const [name, choice] of Object.entries(anthropic)) {
    if (typeof choice === 'object')
      assertOptions<{ readonly version?: string }>(
        of,
        choice,
        { version: 'string' },
        { path: `anthropic.${name}` },
      );
  }
  const hasMemory = isChosen(anthropic.memory);
  if (options.memory !== undefined && !hasMemory) {
    throw new PromptValidationError(
      `${of}: the option memory is for anthropic.memory, which is not asked for. Set anthropic: { memory: true }, or use memorySection().`,
      { details: { option: 'memory' } },
    );
  }
  const providerTools = providerToolsOf(openai, anthropic);
  if (providerTools.length === 0) {
    throw new PromptValidationError(
      `${of} is asked for no tool. Set one, such as openai: { shell: true } or anthropic: { bash: true }, or leave the section out.`,
      { details: { option: 'openai' } },
    );
  }
  const instructions = providerToolInstructions(providerTools.map(({ kind }) => kind));
  const made = section({
    title,
    key,
    template: () => instructions,
    summary: () => 'Tools in the shapes of their vendors.',
    visibility,
    acceptsOverrides: false,
    tools: ownTools(providerTools),
    providerTools,
    policies,
    children: hasMemory ? [memorySection(options.memory)] : [],
  });
  // Models without the shape do not have these tools.
  return Object.freeze({ ...made, examplesInText: false });
}

function providerToolsOf(
  openai: NonNullable<ProviderToolsSectionOptions['openai']>,
  anthropic: NonNullable<ProviderToolsSectionOptions['anthropic']>,
): readonly ProviderTool[] {
  const { bash = false, memory = false, textEditor = false } = anthropic;
  return [
    ...(openai.shell === true ? [providerTool('openai.shell', true, shell)] : []),
    ...(openai.applyPatch === true
      ? [
          providerTool('openai.apply_patch', true, {
            ...files,
            uses: ['apply_patch'],
            typedOnly: ['apply_patch'],
          }),
        ]
      : []),
    ...(isChosen(bash)
      ? [
          providerTool('anthropic.bash', bash, {
            ...shell,
            uses: [...shell.uses, shellRestartName],
            typedOnly: [shellRestartName],
          }),
        ]
      : []),
    ...(isChosen(textEditor)
      ? [
          providerTool('anthropic.text_editor', textEditor, {
            ...files,
            uses: ['read_file', 'write_file', 'edit_file'],
          }),
        ]
      : []),
    ...(isChosen(memory)
      ? [
          providerTool('anthropic.memory', memory, {
            uses: ['memory'],
            replaces: ['memory'],
            from: 'memorySection()',
          }),
        ]
      : []),
  ];
}

function isChosen(choice: ProviderToolChoice | undefined): boolean {
  return choice !== undefined && choice !== false;
}

function providerTool(
  kind: string,
  choice: ProviderToolChoice,
  rest: Pick<ProviderTool, 'uses' | 'replaces' | 'typedOnly' | 'from'>,
): ProviderTool {
  const config: JsonObject = typeof choice === 'object' ? { ...present({ version: choice.version }) } : {};
  return Object.freeze({ type: 'provider-tool', kind, config, ...rest });
}

/** The tools that no other section brings. */
function ownTools(providerTools: readonly ProviderTool[]): readonly AnyTool[] {
  const names = providerTools.flatMap(({ typedOnly = [] }) => typedOnly);
  return [
    ...(names.includes('apply_patch') ? [createApplyPatchTool()] : []),
    ...(names.includes(shellRestartName) ? [shellRestartTool()] : []),
  ];
}
