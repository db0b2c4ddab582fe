import { assertOptions, oneOf, PromptValidationError } from '../core/error/index.ts';
import {
  type AnyAgent,
  checkEvaluateOptions,
  type EvaluateOptions,
  evaluateChecks,
  movedOptions,
  type ProviderAdapter,
  type RunLimits,
  type RunWorkspace,
} from '../core/evaluation/index.ts';
import { Filesystem, type MemoryFilesystem } from '../core/filesystem/index.ts';
import { present } from '../core/internal/index.ts';
import type { DynamicParams, Prompt } from '../core/prompt/index.ts';
import { type AnyResourceBinding, binding } from '../core/resource/index.ts';
import type { Approver, RunObserver } from '../core/runtime/index.ts';
import type { CompletionChecker } from '../core/tool/index.ts';
import type { ResumeAnswer, ResumedFiles } from '../durable/index.ts';
import type { RunAgentOptions } from './agent-run.ts';
import { bindParams } from './bind-params.ts';

/** Options of a run whose agent is not known to the compiler. */
export type AnyRunOptions = RunAgentOptions<DynamicParams, Approver>;

/** An agent with all that it leaves open filled in. */
export interface ResolvedAgent {
  readonly adapter: ProviderAdapter;
  readonly prompt: Prompt;
  readonly params: DynamicParams;
  /** Undefined: the run works without files, or with those that the template binds. */
  readonly workspace: RunWorkspace | undefined;
  /** Checked; what the agent brings and what the run was given. */
  readonly options: EvaluateOptions<Approver>;
  readonly answers: readonly ResumeAnswer[] | undefined;
  readonly strict: boolean | undefined;
  readonly files: ResumedFiles | undefined;
}

/**
 * Fills in what the agent leaves open: workspace, params, adapter, and the options of the evaluation.
 *
 * @throws {PromptValidationError} with `details.option` for what is missing, unknown, or does not fit. No model is asked by then, and nothing is opened but what the
 *   functions of the agent open.
 */
export async function resolveAgent(agent: AnyAgent, given: AnyRunOptions): Promise<ResolvedAgent> {
  if (Object(agent).kind !== 'agent')
    throw refuse('agent', 'runAgent() takes an agent made by defineAgent().');
  if (Object.hasOwn(Object(given), 'agentName'))
    throw refuse('agentName', 'runAgent() has no option agentName: a run has the name of its agent.');
  const { agentName: _agentName, ...ofEvaluation } = evaluateChecks;
  const checks = {
    ...ofEvaluation,
    params: 'object',
    adapter: 'object',
    workspace: 'object',
    resources: 'array',
    answers: 'array',
    strict: 'boolean',
    files: oneOf(['check', 'restore', 'as-is']),
  } as const;
  assertOptions('runAgent()', given, checks, { moved: movedOptions });
  const { params: own = {}, adapter: chosen, workspace: givenFiles, resources = [], ...rest } = given;
  const { answers, strict, files, ...evaluation } = rest;
  for (const option of ['answers', 'strict', 'files'] as const) {
    if (given[option] !== undefined && (given.journal === undefined || given.runId === undefined))
      throw refuse(
        option,
        `The option ${option} is for a run that continues: pass its journal and its runId.`,
      );
  }
  const workspace = await workspaceOf(agent, givenFiles);
  const options = mergeOptions(agent, evaluation, workspace?.observer);
  checkEvaluateOptions(options, 'runAgent()');
  const workspaceName = workspace?.name ?? '';
  const { params } = await bindParams(agent, own, workspaceName);
  const adapter = chosen ?? (await ownAdapter(agent, params, workspaceName));
  if (adapter === undefined) {
    const how = "pass adapter: openai({ model }) of weakincentives/openai, or another vendor's";
    throw refuse('adapter', `The agent "${agent.name}" brings no model, and none was given: ${how}.`);
  }
  const prompt = agent.template.bind(params, { resources: bindingsOf(workspace, resources) });
  return { adapter, prompt, params, workspace, options, answers, strict, files };
}

function bindingsOf(
  workspace: RunWorkspace | undefined,
  resources: readonly AnyResourceBinding[],
): readonly AnyResourceBinding[] {
  if (workspace === undefined) return resources;
  return [binding(Filesystem, { instance: workspace.filesystem }), ...resources];
}

function ownAdapter(
  { adapter }: AnyAgent,
  params: DynamicParams,
  workspaceName: string,
): ProviderAdapter | Promise<ProviderAdapter> | undefined {
  return typeof adapter === 'function' ? adapter({ params, workspaceName }) : adapter;
}

async function workspaceOf(
  { name, workspace: rules }: AnyAgent,
  given: RunWorkspace | Filesystem | undefined,
): Promise<RunWorkspace | undefined> {
  const open = 'workspace: await openWorkspace({ agent, folder }) of weakincentives/node';
  if (given === undefined) {
    if (rules === undefined || rules === false) return undefined;
    throw refuse('workspace', `The agent "${name}" works on files, and none were given: pass ${open}.`);
  }
  if (rules === false)
    throw refuse('workspace', `The agent "${name}" works without files: leave out the option workspace.`);
  if ('filesystem' in given) return given;
  const { defaultExcludes: _defaults, ...narrowing } = rules ?? {};
  if (Object.values(narrowing).some((rule) => rule !== undefined)) {
    throw refuse(
      'workspace',
      `The agent "${name}" sees a part of the files only, which a Filesystem alone does not know: pass ${open}.`,
    );
  }
  return { filesystem: given, ...present({ changes: await changesIn(given) }) };
}

/** What a run changes of files in memory, which keep what they were; others do not say. */
async function changesIn(files: Filesystem): Promise<RunWorkspace['changes']> {
  if (!tellsChanges(files)) return undefined;
  const before = await files.snapshot();
  return () => files.changesSince(before);
}

/** Known by its methods: the class is a large part of a small bundle that may do without it. */
function tellsChanges(
  files: Filesystem,
): files is Filesystem & Pick<MemoryFilesystem, 'snapshot' | 'changesSince'> {
  return 'snapshot' in files && 'changesSince' in files;
}

/** What the agent brings, and the options of this run over it. */
function mergeOptions(
  agent: AnyAgent,
  given: Omit<EvaluateOptions<Approver>, 'agentName'>,
  ofWorkspace: RunObserver | undefined,
): EvaluateOptions<Approver> {
  const {
    input = agent.input,
    approve = agent.approve,
    limits,
    context,
    feedback,
    observers,
    ...rest
  } = given;
  const completion = [...listOf(agent.completion), ...listOf(given.completion)];
  return {
    ...rest,
    ...present({
      input,
      approve,
      limits: limits === undefined ? agent.limits : mergeMembers<RunLimits>(agent.limits, limits),
      context: context === undefined ? agent.context : mergeMembers(agent.context, context),
      feedback: bothLists(agent.feedback, feedback),
      observers: bothLists(
        ofWorkspace === undefined ? undefined : [ofWorkspace],
        bothLists(agent.observers, observers),
      ),
      completion: completion.length === 0 ? undefined : completion,
    }),
    agentName: agent.name,
  };
}

/** A member that is undefined is not given. */
function mergeMembers<Options extends object>(own: Partial<Options> | undefined, given: Options): Options {
  // Code without types may give anything; the check of the evaluation refuses it.
  if (typeof given !== 'object' || given === null) return given;
  const named = Object.entries(given).filter(([, member]) => member !== undefined);
  // Each member is that of one of them.
  return { ...own, ...Object.fromEntries(named) } as Options;
}

/** The check of the evaluation refuses what is not a list. */
function bothLists<T>(
  own: readonly T[] | undefined,
  given: readonly T[] | undefined,
): readonly T[] | undefined {
  return own === undefined || !Array.isArray(given ?? []) ? (given ?? own) : [...own, ...(given ?? [])];
}

function listOf(
  completion: CompletionChecker | readonly CompletionChecker[] | undefined,
): readonly CompletionChecker[] {
  if (completion === undefined) return [];
  return 'check' in completion ? [completion] : completion;
}

function refuse(option: string, message: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option } });
}
