import {
  assertOptions,
  describeError,
  integer,
  listOf,
  type OptionsOf,
  PromptValidationError,
  required,
  rule,
} from '../../error/index.ts';
import { compileGlob } from '../../filesystem/index.ts';
import { isRecord, isText, type Writable } from '../../internal/index.ts';
import { BudgetTracker, checkFeedbackProviders } from '../../runtime/index.ts';
import { checkContext, checkObservers } from '../options/check-options.ts';
import { contextChecks, limitChecks, movedOptions } from '../options/option-checks.ts';
import { checkCompletion } from '../run/check-completion.ts';
import type { Agent, AgentLimits, AgentOptions, AgentWorkspace } from './agent.ts';

const amount = integer({ min: 0 });
const workspaceChecks = {
  include: listOf<string>(isText, 'a list of globs'),
  exclude: listOf<string>(isText, 'a list of globs'),
  defaultExcludes: 'boolean',
  maxBytes: amount,
  maxFileBytes: amount,
  maxFiles: amount,
} satisfies OptionsOf<AgentWorkspace>;
const agentChecks = {
  template: required(rule(isTemplate, 'a template made by promptTemplate()')),
  params: rule((value) => isRecord(value) || isFunction(value), 'an object or a function'),
  input: rule((value) => isText(value) || Array.isArray(value), 'a text or a list of parts'),
  workspace: rule((value) => value === false || isRecord(value), 'an object or false'),
  adapter: rule((value) => isFunction(value) || isAdapter(value), 'an adapter or a function'),
  limits: withoutDeadline(limitChecks) satisfies OptionsOf<AgentLimits>,
  context: contextChecks,
  approve: 'function',
  feedback: 'any',
  completion: 'any',
  observers: 'any',
  prepare: 'function',
  conclude: 'function',
  name: rule(isLine, 'a text of one line, not empty'),
  description: 'string',
} satisfies OptionsOf<AgentOptions<unknown, unknown>>;

/** An agent that is run again has another deadline. */
function withoutDeadline({
  deadline: _deadline,
  ...checks
}: typeof limitChecks): Omit<typeof limitChecks, 'deadline'> {
  return checks;
}

/** What takes the place of options that an agent has not. */
const movedHere: ReadonlyMap<string, string> = new Map([
  ...movedOptions,
  ['model', 'adapter'],
  ['limits.deadline', 'limits.idleTimeoutMs, or give a deadline, which is a moment, to each run'],
]);

/**
 * Defines an agent, for `runAgent()` or `wink run` to run. Params are typed by the template's sections.
 *
 * ```ts
 * import { defineAgent, promptTemplate, runAgent, section } from 'weakincentives';
 * import { scriptedAdapter } from 'weakincentives/testing';
 * import { z } from 'zod';
 *
 * const params = z.object({ name: z.string() });
 * const task = section({ title: 'Task', key: 'task', params, template: (p) => `Greet ${p.name}.` });
 * const greeter = defineAgent({
 *   template: promptTemplate({ ns: 'docs', key: 'greeter', sections: [task] }),
 *   params: { name: 'Ada' },
 *   adapter: ({ params }) => scriptedAdapter([{ text: `Hello, ${params.name}.` }]),
 *   limits: { maxTurns: 5 },
 * });
 * console.log((await runAgent(greeter)).text); // Hello, Ada.
 * console.log((await runAgent(greeter, { params: { name: 'Grace' } })).text); // Hello, Grace.
 * ```
 *
 * @throws {PromptValidationError} for an option that is missing, unknown or of the wrong kind; `details.option` names it.
 *   So is a completion checker that needs a slice or a tool which the template does not have. Params are checked when they are bound.
 */
export function defineAgent<Params, Output>(options: AgentOptions<Params, Output>): Agent<Params, Output> {
  assertOptions('defineAgent()', options, agentChecks, { moved: movedHere });
  const { template, params, input, workspace, limits, name } = options;
  const { feedback, completion, observers } = options;
  if (isRecord(workspace)) checkWorkspace(workspace);
  const ownLimits = limits === undefined ? undefined : readLimits(limits);
  if (options.context !== undefined) checkContext('defineAgent()', options.context);
  if (observers !== undefined) checkObservers('defineAgent()', observers);
  if (feedback !== undefined) checkFeedbackProviders(feedback);
  if (completion !== undefined)
    checkCompletion(completion, { ...template['~parts'], promptName: template.name });
  const agent: Writable<Agent<Params, Output>> = { kind: 'agent', ...options, name: name ?? template.name };
  if (isRecord(params)) agent.params = Object.freeze({ ...params });
  if (feedback !== undefined) agent.feedback = Object.freeze([...feedback]);
  if (observers !== undefined) agent.observers = Object.freeze([...observers]);
  if (ownLimits !== undefined) agent.limits = ownLimits;
  if (Array.isArray(input)) agent.input = Object.freeze([...input]);
  if (isRecord(workspace)) agent.workspace = frozenWorkspace(workspace);
  return Object.freeze(agent);
}

/** The limits of an agent, its budget as a copy. */
function readLimits(limits: AgentLimits): AgentLimits {
  const { budget } = limits;
  if (budget === undefined) return Object.freeze({ ...limits });
  // Prices alone have an effect: `wink run` says what the run cost.
  const isLimitRequired = !isRecord(budget) || budget['prices'] === undefined;
  return Object.freeze({ ...limits, budget: new BudgetTracker(budget, { isLimitRequired }).budget });
}

function checkWorkspace(workspace: AgentWorkspace): void {
  assertOptions('defineAgent()', workspace, workspaceChecks, { path: 'workspace' });
  for (const name of ['include', 'exclude'] as const) {
    for (const glob of workspace[name] ?? []) checkGlob(`workspace.${name}`, glob);
  }
}

function checkGlob(option: string, glob: string): void {
  try {
    compileGlob(glob);
  } catch (error) {
    throw new PromptValidationError(
      `The ${option} of an agent has an unusable glob. ${describeError(error)}`,
      {
        cause: error,
        details: { option },
      },
    );
  }
}

function frozenWorkspace<W extends object>(workspace: W): W {
  const copies = Object.entries(workspace).map(([name, value]) => [
    name,
    Array.isArray(value) ? Object.freeze([...value]) : value,
  ]);
  // The same options under the same names; only the lists are copies.
  return Object.freeze(Object.fromEntries(copies)) as W;
}

function isTemplate(value: unknown): boolean {
  return isRecord(value) && value['kind'] === 'prompt-template' && typeof value['bind'] === 'function';
}

function isAdapter(value: unknown): boolean {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['evaluate'] === 'function';
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isLine(value: unknown): boolean {
  return isText(value) && value.trim() !== '' && !/[\r\n]/.test(value);
}
