import { evaluateAgent } from '../../agent/index.ts';
import { describeError } from '../../core/error/index.ts';
import type {
  AgentConclusion,
  ContextOptions,
  PromptResponse,
  RunLimits,
  RunWorkspace,
} from '../../core/evaluation/index.ts';
import type { FileChange, OutsideChange } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import {
  type Approver,
  type BudgetTracker,
  Deadline,
  PromptEvaluationError,
  type Redactor,
  type RunEvent,
  type SuspendedRun,
} from '../../core/runtime/index.ts';
import { Session } from '../../core/session/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import { CurrentPlan, type Plan } from '../../suite/planning/index.ts';
import { type Application, applyChanges } from '../folder/apply-to-folder.ts';
import type { RunRequest, RunTask } from '../options/run-task.ts';
import { CliInterruption } from '../process/environment.ts';
import { isOfLaterVersion } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import type { StrayError } from '../process/stray-error.ts';
import type { OpenedRun } from './open-run.ts';

/** How a run is carried out, besides what was opened for it. */
export interface EvaluateRunOptions {
  /** Answers approvals, or suspends the run. */
  readonly approve: Approver;
  readonly budget: BudgetTracker;
  /** Whether the answers of the model are streamed. */
  readonly streaming: boolean;
  readonly signal: AbortSignal;
  readonly logger: Logger | undefined;
  /** Called with each event before any consequence of it, so that recorded events survive a crash. Must not throw. */
  readonly onEvent: (event: RunEvent) => void;
  /** Shows each event with the plan of the session, if any. Must not throw. */
  readonly show: (event: RunEvent, plan: Plan | undefined) => void;
  /** The uncaught errors until now. A run that has one writes nothing: it has not succeeded. */
  readonly takeStrays: () => Promise<readonly StrayError[]>;
}

/** The result of a run. */
export interface EndedRun {
  /** The final response of the model; undefined when the run did not complete. */
  readonly response: Pick<PromptResponse, 'text' | 'output' | 'hostedOutputs'> | undefined;
  /** What the run waits for; undefined when it was not suspended. */
  readonly suspended: SuspendedRun | undefined;
  /** The error that ended the run early; undefined without one. */
  readonly error: unknown;
  /** What went wrong, in one line; undefined when nothing did. */
  readonly failure: string | undefined;
  readonly interruption: CliInterruption | undefined;
  /** What the agent has concluded; undefined when it was not asked. */
  readonly conclusion: AgentConclusion | undefined;
  /** Net changes to files. */
  readonly changes: readonly FileChange[];
  /** What became of them. */
  readonly application: Application;
  /** The final plan of the session; undefined without one. */
  readonly plan: Plan | undefined;
  /** Names of read-only tools. */
  readonly readingTools: ReadonlySet<string>;
  /** Uncaught errors. */
  readonly strays: readonly StrayError[];
}

/** Runs the agent. Errors that end the run early are part of the result. */
export async function evaluateRun(
  opened: OpenedRun,
  request: RunRequest,
  options: EvaluateRunOptions,
): Promise<EndedRun> {
  const { durable, folder, prompt, redactor, telemetry } = opened;
  const filesystem = folder?.filesystem;
  const before = await filesystem?.snapshot();
  const changes = (): readonly FileChange[] =>
    before === undefined ? [] : (filesystem?.changesSince(before) ?? []);
  const resumed = durable?.resumed;
  await using session = new Session(resumed === undefined ? {} : { id: resumed.sessionId });
  const readPlan = planReader(prompt.slices().includes(CurrentPlan) ? session : undefined, redactor);
  const strays: StrayError[] = [];
  let application: Application | undefined;
  const apply = async (
    end: Pick<EndedRun, 'failure' | 'interruption' | 'suspended'>,
    meanwhile?: readonly OutsideChange[],
  ): Promise<void> => {
    strays.push(...(await options.takeStrays()));
    const failure = end.failure ?? (strays.length > 0 ? 'an error was not caught' : undefined);
    const ended = { ...end, failure, changes: changes() };
    application = await applyChanges(ended, folder, meanwhile);
  };
  const work = (): Promise<Ending> =>
    evaluate(opened, request, options, {
      session,
      workspace:
        folder === undefined
          ? undefined
          : {
              name: opened.workspaceName,
              filesystem: folder.filesystem,
              observer: folder.callConflicts,
              changes,
              apply: async (meanwhile) => {
                await apply({ failure: undefined, interruption: undefined, suspended: undefined }, meanwhile);
                // What the command prints says more.
                return { kind: 'kept' };
              },
            },
      follow: (event) => options.show(event, readPlan()),
    });
  const ending = await (telemetry === undefined ? work() : telemetry.runIn(work));
  if (application === undefined) await apply(ending);
  return {
    ...ending,
    changes: changes(),
    application: application ?? { kind: 'off' },
    plan: readPlan(),
    readingTools: readingTools(prompt, session),
    strays,
  };
}

type Ending = Pick<EndedRun, 'response' | 'suspended' | 'failure' | 'interruption' | 'error' | 'conclusion'>;

/** What a run works with that was made for it. */
interface RunState {
  readonly session: Session;
  readonly workspace: RunWorkspace | undefined;
  readonly follow: (event: RunEvent) => void;
}

async function evaluate(
  opened: OpenedRun,
  request: RunRequest,
  { approve, budget, logger, onEvent, signal, streaming }: EvaluateRunOptions,
  { follow, session, workspace }: RunState,
): Promise<Ending> {
  const { durable, model, overrides, recordFile, redactor, resources, telemetry } = opened;
  let conclusion: AgentConclusion | undefined;
  let answer: Ending['response'];
  const ending = (): Pick<Ending, 'response' | 'conclusion' | 'failure'> => {
    const failure = conclusion?.failure;
    return { conclusion, failure, response: failure === undefined ? answer : undefined };
  };
  let droppedTurns = 0;
  const observe = (event: RunEvent): void => {
    follow(event);
    if (event.type === 'turns-dropped') droppedTurns += event.turns;
  };
  try {
    const run = await evaluateAgent(
      opened.agent,
      {
        adapter: model,
        resources,
        session,
        signal,
        approve,
        streaming,
        enforce: request.isEnforced,
        settings: request.settings,
        redact: redactor.text,
        limits: {
          budget,
          ...limitsOf(request),
        },
        observers: [
          { onEvent },
          { onEvent: observe },
          ...[telemetry?.observer, recordFile?.observer].filter((observer) => observer !== undefined),
        ],
        ...present({
          workspace,
          input: request.input,
          context: contextOf(request),
          logger,
          overrides,
          journal: durable?.journal,
          runId: durable?.runId,
          strict: durable?.resumed?.isStrict,
          files: durable?.resumed?.files,
        }),
      },
      {
        resumeInput: durable?.resumed?.input,
        onConclusion: (given, response) => {
          conclusion = given;
          answer = response;
        },
      },
    );
    const ended = { ...ending(), failure: undefined, interruption: undefined, error: undefined };
    return run.finishReason === 'suspended'
      ? { ...ended, response: undefined, suspended: run }
      : { ...ended, response: run, suspended: undefined };
  } catch (error) {
    if (isOfLaterVersion(error)) throw error;
    const ended = { ...ending(), suspended: undefined };
    if (ended.failure !== undefined) return { ...ended, interruption: undefined, error: undefined };
    if (signal.reason instanceof CliInterruption) {
      return { ...ended, error, failure: undefined, interruption: signal.reason };
    }
    const failure = describeFailure(error, opened.agent.name, droppedTurns);
    return { ...ended, error, failure, interruption: undefined };
  }
}

/** The limits of the command line, but for the budget. The time of the deadline begins now. */
export function limitsOf({
  deadlineMs,
  idleTimeoutMs,
  maxRepeatedFailures,
  maxTurns,
}: Pick<RunTask, 'deadlineMs' | 'idleTimeoutMs' | 'maxRepeatedFailures' | 'maxTurns'>): RunLimits {
  const deadline = deadlineMs === undefined ? undefined : Deadline.after(deadlineMs);
  return present({ maxTurns, maxRepeatedFailures, idleTimeoutMs, deadline });
}

/** Reads the plan of a session, redacted; returns the same object while the plan is the same. */
function planReader(session: Session | undefined, redactor: Redactor): () => Plan | undefined {
  let known: Plan | undefined;
  let shown: Plan | undefined;
  return () => {
    // Its slices are installed when the run begins.
    const plan = session?.knows(CurrentPlan.name) === true ? session.slice(CurrentPlan).latest() : undefined;
    if (plan !== known) shown = plan === undefined ? undefined : redactor.record(plan);
    known = plan;
    return shown;
  };
}

/** Names of read-only tools; empty when a section cannot be evaluated. */
function readingTools(prompt: Prompt, session: Session): ReadonlySet<string> {
  try {
    const tools = prompt.tools({ session }).filter((tool) => tool.effects === 'read');
    return new Set(tools.map((tool) => tool.name));
  } catch {
    return new Set();
  }
}

/** Which error ended the run, and where; one line. Dropped turns are no longer in the conversation of the error. */
function describeFailure(error: unknown, agentName: string, droppedTurns: number): string {
  if (!PromptEvaluationError.isInstance(error)) {
    return `the run of ${agentName} failed: ${printable(describeError(error))}`;
  }
  const turns = droppedTurns + error.conversation.filter((item) => item.type === 'assistant').length;
  const cause =
    error.cause === undefined || error.message.includes(describeError(error.cause))
      ? ''
      : ` Cause: ${describeError(error.cause)}`;
  return printable(
    `the run of ${agentName} failed after ${turns} ${turns === 1 ? 'turn' : 'turns'}, in phase ${error.phase}: ${error.message}${cause}`,
  );
}

/** What happens to a long conversation; undefined where nothing was asked for. */
function contextOf(request: RunRequest): ContextOptions | undefined {
  const { contextCompact, contextOverflow, contextResults, maxConversationTurns } = request;
  const context = present({
    compact: contextCompact,
    results: contextResults === undefined ? undefined : { maxCharacters: contextResults },
    overflow: contextOverflow,
    maxTurns: maxConversationTurns,
  });
  return Object.keys(context).length === 0 ? undefined : context;
}
