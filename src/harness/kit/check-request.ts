import { PromptValidationError } from '../../core/error/index.ts';
import type { EvaluateOptions } from '../../core/evaluation/index.ts';
import { Filesystem } from '../../core/filesystem/index.ts';
import { type Prompt, sectionToolNames } from '../../core/prompt/index.ts';
import {
  type Approver,
  BudgetTracker,
  type ModelCheck,
  toCompletionChecker,
} from '../../core/runtime/index.ts';
import type { AgentHarness } from './agent-harness.ts';

type Options = EvaluateOptions<Approver>;

/** An option that the harness does not honor, and why, with what to do. */
type Refusal = readonly [option: string, why: string];

/**
 * Refuses what the harness cannot honor, before anything is begun.
 *
 * @param options checked by `checkEvaluateOptions`.
 * @throws {PromptValidationError} naming option and harness.
 * @see docs/spec/harnesses.md §3
 */
export function refuseForHarness(harness: AgentHarness, prompt: Prompt, options: Options): void {
  const { capabilities, name } = harness;
  const refusal =
    refusedOption(options) ?? refusedSetting(capabilities, options) ?? refusedLimit(capabilities, options);
  if (refusal !== undefined) throw refused(name, refusal);
  harness.check?.({ settings: options.settings ?? {}, hasFiles: prompt.resources().has(Filesystem) });
}

/**
 * Refuses what of a rendered prompt the harness cannot honor.
 *
 * @throws {PromptValidationError} naming what, and the harness.
 */
export function refusePromptForHarness(
  { capabilities, name }: AgentHarness,
  { hostedTools, tools }: Pick<ModelCheck, 'hostedTools' | 'tools'>,
): void {
  const [hosted] = hostedTools;
  if (hosted !== undefined) {
    const why = `the prompt has the hosted tool "${hosted.name}", which only the provider of a model runs. Leave its section out, or use the adapter of a model`;
    throw refused(name, ['hostedTools', why]);
  }
  if (capabilities.addedTools !== true && tools.some((tool) => tool.name === sectionToolNames.open)) {
    const why =
      'the prompt has summarized sections with tools, and the model would not get these when it opens them. Show the sections in full';
    throw refused(name, ['visibility', why]);
  }
}

const never: readonly (readonly [option: keyof Options, why: string])[] = [
  ['history', 'a harness has its own conversation, and begins each run with a new one'],
  ['journal', 'the conversation of a harness is not here, so that nothing could continue it'],
  ['runId', 'it is for runs with a journal'],
  ['inbox', 'the turns of a harness are not those of a run. Say it to the harness'],
];

function refusedOption(options: Options): Refusal | undefined {
  for (const [option, why] of never) {
    const value: unknown = options[option];
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) return [option, `${why}. Leave it out`];
  }
  for (const [name, value] of Object.entries(options.context ?? {})) {
    if (value === undefined || name === 'results') continue;
    return [
      `context.${name}`,
      'a harness has its own conversation, and keeps it short enough by itself. Leave it out',
    ];
  }
  const { retry, toolChoice } = options;
  if (toolChoice !== undefined && toolChoice !== 'auto')
    return ['toolChoice', 'its model decides itself which tools it calls. Leave it out'];
  if (retry !== undefined && retry !== false)
    return ['retry', 'it asks its model again by its own rules. Leave it out'];
  return undefined;
}

function refusedSetting(
  { input: kinds = [], settings: honored = [], streaming = false }: AgentHarness['capabilities'],
  options: Options,
): Refusal | undefined {
  for (const [setting, value] of Object.entries(options.settings ?? {})) {
    if (value === undefined || honored.includes(setting)) continue;
    const known = honored.length === 0 ? 'it takes no settings' : `its settings are ${honored.join(', ')}`;
    return [`settings.${setting}`, `${known}. Leave it out`];
  }
  if (options.streaming === true && !streaming)
    return ['streaming', 'it does not say what its model says piece by piece. Leave it out'];
  if (typeof options.input === 'string' || options.input === undefined) return undefined;
  for (const { type } of options.input) {
    if (type === 'text' || kinds.includes(type)) continue;
    return ['input', `it takes no parts of type "${type}". Put the file where a tool can read it`];
  }
  return undefined;
}

function refusedLimit(
  { followUps = false, turns = false, usage = false }: AgentHarness['capabilities'],
  { completion, limits = {} }: Options,
): Refusal | undefined {
  const { budget, maxCompletionChecks, maxOutputRepairs, maxTurns } = limits;
  if (maxTurns !== undefined && !turns)
    return ['limits.maxTurns', 'it does not report its turns. Use limits.deadline'];
  const isLimited = budget !== undefined && !(budget instanceof BudgetTracker && !budget.isLimited);
  if (isLimited && !usage)
    return ['limits.budget', 'it does not report what it takes while it runs. Use limits.deadline'];
  if (followUps) return undefined;
  if (completion !== undefined && maxCompletionChecks !== 1) {
    const { name: checker } = toCompletionChecker(completion);
    const why = `its model takes no message about what the checker "${checker}" finds missing. Set limits.maxCompletionChecks to 1 to only check, or leave it out`;
    return ['completion', why];
  }
  if (maxOutputRepairs !== undefined && maxOutputRepairs > 0)
    return [
      'limits.maxOutputRepairs',
      'its model takes no message about what is wrong with its answer. Set it to 0',
    ];
  return undefined;
}

function refused(harness: string, [option, why]: Refusal): PromptValidationError {
  return new PromptValidationError(`The harness "${harness}" does not honor ${option}: ${why}.`, {
    details: { option, harness },
  });
}
