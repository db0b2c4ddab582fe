import { describeError, PromptValidationError } from '../core/error/index.ts';
import {
  type AgentConclusion,
  type AnyAgent,
  type EvaluateOptions,
  newSession,
  type StreamedRun,
} from '../core/evaluation/index.ts';
import { present } from '../core/internal/index.ts';
import type { Prompt } from '../core/prompt/index.ts';
import {
  type Approver,
  findRun,
  type JournaledRun,
  PromptEvaluationError,
  Redactor,
  type RunJournal,
  type SuspendedRun,
} from '../core/runtime/index.ts';
import type { Session } from '../core/session/index.ts';
import type { PromptResponse } from '../core/tool/index.ts';
import { changedMeanwhile, continueRun } from '../durable/index.ts';
import type { AgentRun } from './agent-run.ts';
import { type AnyRunOptions, type ResolvedAgent, resolveAgent } from './resolve-agent.ts';

/** What only the library itself asks of a run. */
export interface AgentRunExtras {
  /** Gets the events before all observers, and holds the run back. Default: nothing does. */
  readonly stream?: StreamedRun;
  /** Session of a run that begins, when the options have none. Default: one with the name of the run. */
  readonly sessionId?: string;
  /** What the user says to a run that continues; see `input` of `resumeRun`. Default: nothing. */
  readonly resumeInput?: EvaluateOptions['input'] | undefined;
  /** Gets what the agent has concluded, undefined when it threw, also when that fails the run. Must not throw. Default: nothing does. */
  readonly onConclusion?: (conclusion: AgentConclusion | undefined, answer: PromptResponse) => void;
}

/** Resolves the agent and runs it, as `runAgent()` says. */
export async function evaluateAgent(
  agent: AnyAgent,
  given: AnyRunOptions = {},
  extras: AgentRunExtras = {},
): Promise<AgentRun<unknown, Approver>> {
  const resolved = await resolveAgent(agent, given);
  const { options } = resolved;
  const known = await knownRun(options);
  // Its name decides between processes that begin a run at the same time.
  const begun = extras.sessionId ?? namedRun(options);
  const session = options.session ?? newSession(options, known?.run.sessionId ?? begun);
  try {
    return await runOn({ agent, resolved, session, extras }, known);
  } finally {
    if (options.session === undefined) await session[Symbol.asyncDispose]();
  }
}

async function runOn(run: OpenedRun, known: KnownRun | undefined): Promise<AgentRun<unknown, Approver>> {
  const { resolved, session } = run;
  // Without a name of its own a run that is journaled gets the id that it would get from its evaluation.
  const { options, workspace } = resolved;
  const { journal, runId: named } = options;
  const journaledId = journal === undefined ? undefined : (named ?? session.ids());
  const meanwhile = known === undefined ? undefined : await changedInWorkspace(run, known);
  const outcome = known === undefined ? await begin(run, journaledId) : await goOn(run, known);
  const runId = journaledId ?? session.ids();
  if (outcome.finishReason === 'suspended')
    return { ...outcome, runId, changes: workspace?.changes?.() ?? [], application: { kind: 'kept' } };
  const conclusion = conclude(run, outcome);
  const changes = workspace?.changes?.() ?? [];
  const application = (await workspace?.apply?.(meanwhile)) ?? { kind: 'kept' };
  return { ...outcome, runId, changes, application, ...present({ conclusion }) };
}

/** A run whose agent is resolved. */
interface OpenedRun {
  readonly agent: AnyAgent;
  readonly resolved: ResolvedAgent;
  readonly session: Session;
  readonly extras: AgentRunExtras;
}

/** A run that its journal has already. */
interface KnownRun {
  readonly journal: RunJournal;
  readonly run: JournaledRun;
}

/** The name of a run that others may begin, too. */
function namedRun({ journal, runId }: Pick<EvaluateOptions, 'journal' | 'runId'>): string | undefined {
  return journal === undefined ? undefined : runId;
}

async function knownRun({
  journal,
  runId,
}: Pick<EvaluateOptions, 'journal' | 'runId'>): Promise<KnownRun | undefined> {
  if (journal === undefined || runId === undefined) return undefined;
  const run = await findRun(journal, runId);
  return run === undefined ? undefined : { journal, run };
}

/** What others have changed of what the run had, which it makes again from its rows on the files of now. */
async function changedInWorkspace(
  { resolved: { workspace } }: OpenedRun,
  { journal, run: { runId } }: KnownRun,
): ReturnType<typeof changedMeanwhile> {
  return workspace?.apply === undefined ? [] : changedMeanwhile(journal, runId, workspace.filesystem);
}

async function begin(
  { agent, resolved, session, extras: { stream } }: OpenedRun,
  runId: string | undefined,
): Promise<PromptResponse | SuspendedRun> {
  const { adapter, answers, params, prompt, workspace } = resolved;
  if (answers !== undefined && answers.length > 0) {
    throw new PromptValidationError(
      `There is nothing to answer: the journal has no run "${runId}", so it begins. Leave out answers.`,
      { details: { option: 'answers' } },
    );
  }
  await prepareSession(agent, prompt, { session, workspace, params });
  const options = { ...resolved.options, session, ...present({ runId }) };
  if (stream === undefined) return adapter.evaluate(prompt, options);
  const { onEvent, ready, signal } = stream;
  for await (const event of adapter.stream(prompt, { ...options, signal })) {
    if (event.type === 'run-result') return event.response;
    onEvent(event);
    await ready();
  }
  throw new TypeError(`The stream of "${adapter.name}" ended without a result.`);
}

/** Installs the slices of the prompt and lets the agent prepare the session that a run, or a client, begins with. @throws what `prepare` throws. */
export async function prepareSession(
  agent: AnyAgent,
  prompt: Prompt,
  context: Parameters<NonNullable<AnyAgent['prepare']>>[0],
): Promise<void> {
  if (agent.prepare === undefined) return;
  for (const slice of prompt.slices()) context.session.install(slice);
  await agent.prepare(context);
}

async function goOn(
  { agent, resolved, session, extras: { resumeInput: says, stream } }: OpenedRun,
  { journal, run: { runId } }: KnownRun,
): Promise<PromptResponse | SuspendedRun> {
  const { adapter, answers, files, options, prompt, strict, workspace } = resolved;
  const { session: given, ...rest } = options;
  const streamed =
    stream === undefined
      ? rest
      : {
          streaming: true,
          ...rest,
          signal: stream.signal,
          observers: [{ onEvent: stream.onEvent }, ...(rest.observers ?? [])],
        };
  // Who reads state, files or events of a run that has ended needs all of its rows; otherwise the last ones say how it ended.
  const readsNothing = given === undefined && agent.conclude === undefined && workspace === undefined;
  const isRead = !readsNothing || stream !== undefined || rest.observers !== undefined;
  const on = isRead ? { session } : {};
  return continueRun(
    { ...streamed, ...on, adapter, prompt, journal, runId, ...present({ answers, strict, files }) },
    { ready: stream?.ready, says },
  );
}

/** @throws {PromptEvaluationError} of code `evaluation-incomplete` when the agent finds that the run has failed, or cannot tell. */
function conclude(
  { agent, extras, resolved: { options, prompt }, session }: OpenedRun,
  answer: PromptResponse,
): AgentConclusion | undefined {
  const { conversation, hostedOutputs, output, text, usage } = answer;
  const incomplete = (message: string, cause?: unknown): PromptEvaluationError => {
    const { redact = String } = options;
    return new PromptEvaluationError(
      'evaluation-incomplete',
      new Redactor(redact, () => undefined).text(message),
      { phase: 'response', promptName: prompt.name, conversation, usage, cause },
    );
  };
  let conclusion: AgentConclusion | undefined;
  try {
    conclusion = agent.conclude?.({ session, text, output, hostedOutputs });
  } catch (error) {
    throw incomplete(
      `The function conclude of the agent "${agent.name}" threw: ${describeError(error)}`,
      error,
    );
  } finally {
    if (agent.conclude !== undefined) extras.onConclusion?.(conclusion, answer);
  }
  if (conclusion?.failure !== undefined) throw incomplete(conclusion.failure);
  return conclusion;
}
