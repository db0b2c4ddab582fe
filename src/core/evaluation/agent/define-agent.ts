import { describeError, PromptValidationError } from '../../error/index.ts';
import { compileGlob } from '../../filesystem/index.ts';
import { isRecord, type Writable } from '../../internal/index.ts';
import { BudgetTracker, checkFeedbackProviders } from '../../runtime/index.ts';
import { checkLimits } from '../options/check-limits.ts';
import { checkObservers } from '../options/check-observers.ts';
import { newPlaceOf } from '../options/option-names.ts';
import { checkCompletion } from '../run/check-requirements.ts';
import type { Agent, AgentLimits, AgentOptions } from './agent.ts';

const optionNames: ReadonlySet<string> = new Set<keyof AgentOptions<unknown, unknown>>([
  'template',
  'params',
  'input',
  'workspace',
  'adapter',
  'limits',
  'approve',
  'feedback',
  'completion',
  'observers',
  'prepare',
  'conclude',
  'name',
  'description',
]);

/** Options of a workspace, with what each must be. */
const workspaceRules: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  include: [isTextList, 'a list of globs'],
  exclude: [isTextList, 'a list of globs'],
  defaultExcludes: [isBoolean, 'true or false'],
  maxBytes: [isAmount, 'a whole number from 0 on'],
  maxFileBytes: [isAmount, 'a whole number from 0 on'],
  maxFiles: [isAmount, 'a whole number from 0 on'],
};

/**
 * Defines an agent, for `runAgent()` or `wink run` to run. Params are typed by the template's sections.
 *
 * @throws {PromptValidationError} for an option that is missing, unknown or of the wrong kind; `details.option` names it.
 *   So is a completion checker that needs a slice or a tool which the template does not have. Params are checked when they are bound.
 */
export function defineAgent<Params, Output>(options: AgentOptions<Params, Output>): Agent<Params, Output> {
  if (!isRecord(options)) throw invalid('options', options, 'an object with a template');
  for (const name of Object.keys(options)) {
    if (!optionNames.has(name)) {
      const place = name === 'model' ? 'adapter' : newPlaceOf(name);
      const hint = place === undefined ? `its options are ${[...optionNames].join(', ')}` : `use ${place}`;
      throw new PromptValidationError(`An agent has no option "${name}"; ${hint}.`, {
        details: { option: name },
      });
    }
  }
  const { template, params, input, workspace, adapter, limits, approve, name, description } = options;
  const { feedback, completion, observers, prepare, conclude } = options;
  check('template', template, isTemplate, 'a template made by promptTemplate()');
  check('params', params, (value) => isRecord(value) || isFunction(value), 'an object or a function');
  check('input', input, (value) => isText(value) || Array.isArray(value), 'a text or a list of parts');
  check('workspace', workspace, (value) => value === false || isRecord(value), 'an object or false');
  if (isRecord(workspace)) checkWorkspace(workspace);
  check('adapter', adapter, (value) => isFunction(value) || isAdapter(value), 'an adapter or a function');
  check('limits', limits, isRecord, 'an object');
  const ownLimits = limits === undefined ? undefined : readLimits(limits);
  check('approve', approve, isFunction, 'a function');
  check('prepare', prepare, isFunction, 'a function');
  check('conclude', conclude, isFunction, 'a function');
  if (observers !== undefined) checkObservers('defineAgent()', observers);
  if (feedback !== undefined) checkFeedbackProviders(feedback);
  if (completion !== undefined)
    checkCompletion(completion, { ...template['~parts'], promptName: template.name });
  check('name', name, isLine, 'a text of one line, not empty');
  check('description', description, isText, 'a text');
  const agent: Writable<Agent<Params, Output>> = { kind: 'agent', ...options, name: name ?? template.name };
  if (isRecord(params)) agent.params = Object.freeze({ ...params });
  if (feedback !== undefined) agent.feedback = Object.freeze([...feedback]);
  if (observers !== undefined) agent.observers = Object.freeze([...observers]);
  if (ownLimits !== undefined) agent.limits = ownLimits;
  if (Array.isArray(input)) agent.input = Object.freeze([...input]);
  if (isRecord(workspace)) agent.workspace = frozenWorkspace(workspace);
  return Object.freeze(agent);
}

/** The limits of an agent, checked; its budget as a copy. */
function readLimits(limits: AgentLimits): AgentLimits {
  if ('deadline' in limits) {
    throw new PromptValidationError(
      'An agent has no option limits.deadline: a deadline is a moment. Give it to each run, or use limits.idleTimeoutMs.',
      { details: { option: 'limits.deadline' } },
    );
  }
  checkLimits(limits);
  const { budget } = limits;
  if (budget === undefined) return Object.freeze({ ...limits });
  // Prices alone have an effect: `wink run` says what the run cost.
  const isLimitRequired = !isRecord(budget) || budget['prices'] === undefined;
  return Object.freeze({ ...limits, budget: new BudgetTracker(budget, { isLimitRequired }).budget });
}

function checkWorkspace(workspace: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(workspace)) {
    const rule = Object.hasOwn(workspaceRules, name) ? workspaceRules[name] : undefined;
    if (rule === undefined) {
      const known = Object.keys(workspaceRules).join(', ');
      throw new PromptValidationError(
        `The workspace of an agent has no option "${name}"; its options are ${known}.`,
        { details: { option: `workspace.${name}` } },
      );
    }
    check(`workspace.${name}`, value, rule[0], rule[1]);
    if (isTextList(value)) for (const glob of value) checkGlob(`workspace.${name}`, glob);
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

/** An absent option is valid, except for the template. */
function check(name: string, value: unknown, isRight: (value: unknown) => boolean, what: string): void {
  if (value === undefined && name !== 'template') return;
  if (!isRight(value)) throw invalid(name, value, what);
}

function invalid(option: string, value: unknown, what: string): PromptValidationError {
  return new PromptValidationError(`The ${option} of an agent must be ${what}, not ${describeKind(value)}.`, {
    details: { option },
  });
}

function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isLine(value: unknown): boolean {
  return isText(value) && value.trim() !== '' && !/[\r\n]/.test(value);
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= 0;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
