import { describeError } from '../../core/error/index.ts';
import type {
  AnyAgent,
  ContextOptions,
  PromptResponse,
  ProviderAdapter,
  RunLimits,
} from '../../core/evaluation/index.ts';
import { type FileChange, Filesystem } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { DynamicParams, OverridesSource, Prompt } from '../../core/prompt/index.ts';
import { type AnyResourceBinding, binding } from '../../core/resource/index.ts';
import {
  type Approver,
  Deadline,
  type InputPart,
  PromptEvaluationError,
  type Redactor,
  type RunEvent,
  type RunObserver,
  type SuspendedRun,
} from '../../core/runtime/index.ts';
import { Session } from '../../core/session/index.ts';
import type { Logger, ModelSettings } from '../../core/tool/index.ts';
import { resumeRun } from '../../durable/index.ts';
import { CurrentPlan, type Plan } from '../../suite/planning/index.ts';
import type { KeptRun } from '../durable/open-durable.ts';
import { CliInterruption } from '../process/environment.ts';
import { printable } from '../process/plain-text.ts';
import type { ApplyConflict } from './apply-to-folder.ts';
import { CallConflicts } from './call-conflicts.ts';
import { type AgentHooks, type HookConclusion, hookError } from './load-agent.ts';
import type { OpenedFolder } from './open-folder.ts';

/** Inputs of a run. */
export interface AgentRunOptions {
  readonly agent: AnyAgent;
  readonly hooks: AgentHooks;
  readonly model: ProviderAdapter;
  readonly params: DynamicParams;
  /** Undefined: the agent does not use files. */
  readonly folder: OpenedFolder | undefined;
  /** Takes the place of the agent's own sandbox. */
  readonly sandbox: readonly AnyResourceBinding[];
  readonly input: string | readonly InputPart[] | undefined;
  readonly settings: ModelSettings;
  readonly context: ContextOptions;
  /** Over those of the agent. */
  readonly limits: Omit<RunLimits, 'deadline'>;
  /** Undefined: the run is not kept in a journal. */
  readonly durable: Pick<KeptRun, 'journal' | 'runId' | 'resumed'> | undefined;
  /** Whether the answers of the model are streamed. */
  readonly streaming: boolean;
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal;
  /** Answers approvals, or suspends the run. */
  readonly approve: Approver;
  /** False: policies are evaluated but not enforced. */
  readonly isEnforced: boolean;
  readonly logger: Logger | undefined;
  /** Undefined: the texts of the code. */
  readonly overrides: OverridesSource | undefined;
  /** Removes what must not be shown from texts. */
  readonly redactor: Redactor;
  /** Called with each event before any consequence of it, so that recorded events survive a crash. Must not throw. */
  readonly onEvent: (event: RunEvent) => void;
  /** Observers of the command, such as the one that records the run. */
  readonly observers: readonly RunObserver[];
  /** Shows each event with the plan of the session, if any. Must not throw. */
  readonly show: (event: RunEvent, plan: Plan | undefined) => void;
}

/** The result of a run. */
export interface EndedAgentRun {
  /** The final response of the model; undefined when the run did not complete. */
  readonly response: PromptResponse | undefined;
  /** What the run waits for; undefined when it was not suspended. */
  readonly suspended: SuspendedRun | undefined;
  /** The error that ended the run early; undefined without one. */
  readonly error: unknown;
  /** What went wrong, in one line; undefined when nothing did. */
  readonly failure: string | undefined;
  readonly interruption: CliInterruption | undefined;
  /** The conclusion of the agent's module; undefined without that hook. */
  readonly conclusion: HookConclusion | undefined;
  /** Net changes to files. */
  readonly changes: readonly FileChange[];
  /** Calls that failed because another process kept changing the folder. */
  readonly callConflicts: readonly ApplyConflict[];
  /** The final plan of the session; undefined without one. */
  readonly plan: Plan | undefined;
  /** Names of read-only tools. */
  readonly readingTools: ReadonlySet<string>;
}

/** Evaluates the agent's prompt on the folder. Errors that end the run early are part of the result. */
export async function runAgent(options: AgentRunOptions): Promise<EndedAgentRun> {
  const { agent, params, folder, redactor } = options;
  const filesystem = folder?.filesystem;
  const before = await filesystem?.snapshot();
  const prompt = agent.template.bind(params, {
    resources: [
      ...(folder === undefined ? [] : [binding(Filesystem, { instance: folder.filesystem })]),
      ...options.sandbox,
    ],
  });
  const conflicts = new CallConflicts();
  const resumed = options.durable?.resumed;
  await using session = new Session(resumed === undefined ? {} : { id: resumed.sessionId });
  for (const slice of prompt.slices()) session.install(slice);
  const hasPlan = prompt.slices().includes(CurrentPlan);
  const readPlan = planReader(hasPlan ? session : undefined, redactor);
  const ending = await evaluate(options, prompt, session, (event) => {
    conflicts.observe(event);
    options.show(event, readPlan());
  });
  const conclusion = conclude(options, session, ending.response?.text ?? '');
  return {
    ...ending,
    failure: ending.failure ?? (ending.response === undefined ? undefined : conclusion?.failure),
    conclusion,
    changes: before === undefined ? [] : (filesystem?.changesSince(before) ?? []),
    callConflicts: conflicts.unsettled(),
    plan: readPlan(),
    readingTools: readingTools(prompt, session),
  };
}

function conclude(
  { agent, hooks }: AgentRunOptions,
  session: Session,
  text: string,
): HookConclusion | undefined {
  try {
    return hooks.conclude?.(session, text);
  } catch (error) {
    return { failure: hookError('conclude', agent.name, error).message };
  }
}

/** Reads the plan of a session, redacted; returns the same object while the plan is the same. */
function planReader(session: Session | undefined, redactor: Redactor): () => Plan | undefined {
  let known: Plan | undefined;
  let shown: Plan | undefined;
  return () => {
    const plan = session?.slice(CurrentPlan).latest();
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

type Ending = Pick<EndedAgentRun, 'response' | 'suspended' | 'failure' | 'interruption' | 'error'>;

async function evaluate(
  options: AgentRunOptions,
  prompt: Prompt,
  session: Session,
  follow: (event: RunEvent) => void,
): Promise<Ending> {
  const { agent, hooks, model, folder, signal, input, deadlineMs, logger, onEvent } = options;
  const { settings, streaming, durable } = options;
  const { feedback, completion } = agent;
  let droppedTurns = 0;
  const observe = (event: RunEvent): void => {
    follow(event);
    if (event.type === 'turns-dropped' && event.path.length === 0) droppedTurns += event.turns;
  };
  try {
    // The signal ends the run in order: calls in flight are reported before the stream ends.
    const common = {
      session,
      signal,
      limits: {
        ...agent.limits,
        ...options.limits,
        ...present({ deadline: deadlineMs === undefined ? undefined : Deadline.after(deadlineMs) }),
      },
      ...present({ context: Object.keys(options.context).length === 0 ? undefined : options.context }),
      agentName: agent.name,
      settings,
      streaming,
      redact: options.redactor.text,
      approve: options.approve,
      ...present({ feedback, completion }),
      enforce: options.isEnforced,
      ...present({ logger, overrides: options.overrides }),
    };
    const observers = [...(agent.observers ?? []), ...options.observers];
    let response: PromptResponse | SuspendedRun | undefined;
    if (durable?.resumed === undefined) {
      if (folder !== undefined) await hooks.prepare?.(session, folder);
      const stream = model.stream(prompt, {
        ...common,
        observers: [{ onEvent }, ...observers],
        ...present({ input, journal: durable?.journal, runId: durable?.runId }),
      });
      for await (const event of stream) {
        if (event.type === 'run-result') response = event.response;
        else observe(event);
      }
    } else {
      // The session becomes what `prepare` and the run have made of it.
      const { journal, runId, resumed } = durable;
      response = await resumeRun({
        ...common,
        adapter: model,
        prompt,
        journal,
        runId,
        strict: resumed.isStrict,
        ...present({ input: resumed.input }),
        observers: [{ onEvent }, { onEvent: observe }, ...observers],
      });
    }
    if (response === undefined) throw new TypeError(`The stream of "${model.name}" ended without a result.`);
    const ended = { failure: undefined, interruption: undefined, error: undefined };
    return response.finishReason === 'suspended'
      ? { ...ended, response: undefined, suspended: response }
      : { ...ended, response, suspended: undefined };
  } catch (error) {
    const ended = { response: undefined, suspended: undefined, error };
    if (signal.reason instanceof CliInterruption) {
      return { ...ended, failure: undefined, interruption: signal.reason };
    }
    const failure = describeFailure(error, agent.name, droppedTurns);
    return { ...ended, failure, interruption: undefined };
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
