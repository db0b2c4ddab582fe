import { assertOptions, describeError, oneOf, PromptValidationError } from '../../core/error/index.ts';
import {
  checkEvaluateOptions,
  type EvaluateOptions,
  evaluatePrompt,
  evaluationSlices,
  modelOf,
  type ProviderAdapter,
} from '../../core/evaluation/index.ts';
import { Filesystem } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import { binding, ResourceRegistry } from '../../core/resource/index.ts';
import { type LanguageModel, Redactor } from '../../core/runtime/index.ts';
import { type Clock, type IdSource, Session } from '../../core/session/index.ts';
import { RunFold } from '../fold/run-fold.ts';
import type { RunRecord } from '../fold/run-record.ts';
import { runRecorder } from '../writer/run-recorder.ts';
import { makeReport } from './make-report.ts';
import { RecordIndex } from './record-index.ts';
import { ReplayClock, replayIds } from './replay-clock.ts';
import { replayModel } from './replay-model.ts';
import type { ReplayReport } from './replay-report.ts';
import { ReplayedRun, type ReplayTools } from './replayed-run.ts';
import { StartFiles } from './start-files.ts';

/** Options of the evaluation that a record does not have: give those of the recorded run. */
export type ReplayEvaluateOptions = Pick<
  EvaluateOptions,
  | 'feedback'
  | 'completion'
  | 'limits'
  | 'context'
  | 'enforce'
  | 'overrides'
  | 'redact'
  | 'logger'
  | 'signal'
  | 'agentName'
>;

/** Options of {@link replayRun}. */
export interface ReplayOptions {
  /** The run to replay, as `readRunRecord` reads it. */
  readonly record: RunRecord;
  /** The prompt as it is now, with the params of the recorded run. Its file system is replaced by the files of the record. */
  readonly prompt: Prompt;
  /**
   * What happens at the first request that is not the recorded one: `'stop'` ends the replay, `'force'` keeps to the recorded answers,
   * `'continue'` hands the run over to `adapter`. Default: `'stop'`.
   */
  readonly onDrift?: 'stop' | 'force' | 'continue';
  /**
   * Which tools run their handlers: `'live'` all, `'recorded'` none, or by name. Default, also for tools that are not named: those that are `pure`, and those with
   * `reenters`, such as of `agentTool()`, whose evaluations are replayed. A handler that runs has all its effects, those outside included.
   */
  readonly tools?: ReplayTools;
  /**
   * Whether calls get the resources of the prompt other than files, which are those of the present: `'live'` yes, so that policies and handlers that run ask them
   * again; `'refuse'` no: a look-up rejects with the `ResourceError` `resource-refused`. Sections are rendered with all of them. Default: `'refuse'`.
   */
  readonly resources?: 'refuse' | 'live';
  /** The model for `onDrift: 'continue'`. */
  readonly adapter?: ProviderAdapter;
  /** Options that the recorded run had. Default: none. */
  readonly options?: ReplayEvaluateOptions;
}

/**
 * Runs a recorded run again: the answers of the model, time and ids are those of the record; schemas, policies and transactions are real. It works on
 * the files of the record, in memory, and in a session of its own that begins with the recorded state. Approvals are answered as recorded.
 *
 * @returns what is the same and what changed. A run that fails is reported, too.
 * @throws {PromptValidationError} for an option of the wrong kind, for the record of a tool runtime, and for `onDrift: 'continue'` without an adapter that has a model.
 * @see docs/spec/replay.md §3
 */
export async function replayRun(options: ReplayOptions): Promise<ReplayReport> {
  const { record, prompt, onDrift, handover } = checkOptions(options);
  const clock = new ReplayClock(record.startedAtMs);
  const files = new StartFiles(record);
  const ids = replayIds();
  const index = new RecordIndex(record);
  const ending = new AbortController();
  const redact = options.options?.redact;
  const replay = new ReplayedRun({
    record,
    index,
    files,
    clock,
    onDrift,
    tools: options.tools,
    resources: options.resources ?? 'refuse',
    redactor: redact === undefined ? undefined : new Redactor(redact, () => undefined),
    stop: (reason) => ending.abort(reason),
  });
  const asked = options.options ?? {};
  checkEvaluateOptions(asked);
  const { signal, ...given } = asked;
  const replayed = withFilesOf(files, prompt, clock);
  const { session, notes } = startSession(record, replayed, { clock, ids });
  const fold = new RunFold();
  const recorder = runRecorder({ write: (line) => fold.add(line), clock });
  const first = record.root.turns.find(({ request }) => request !== undefined)?.request;
  const model = handover ?? (await replayModel(record, replayed, session));
  let failure: unknown;
  try {
    await evaluatePrompt(
      { name: record.root.adapter, evaluate: () => Promise.reject(new TypeError('Use context.adapter.')) },
      model,
      replayed,
      {
        ...given,
        ...present({
          context: given.context ?? record.root.context,
          history: first?.conversation,
          settings: first?.settings,
          toolChoice: first?.toolChoice as 'auto' | undefined,
        }),
        session,
        clock,
        ids,
        observers: [recorder],
        approve: replay.approve,
        retry: false,
        signal: signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]),
      },
      { earlier: replay },
    );
  } catch (error) {
    failure = error;
  } finally {
    await recorder.flush();
    await session[Symbol.asyncDispose]();
  }
  signal?.throwIfAborted();
  return makeReport({ record, now: fold.record(), replay, notes, failure });
}

interface CheckedOptions {
  readonly record: RunRecord;
  readonly prompt: Prompt;
  readonly onDrift: 'stop' | 'force' | 'continue';
  /** The model that takes over. */
  readonly handover: LanguageModel | undefined;
}

function checkOptions(options: ReplayOptions): CheckedOptions {
  assertOptions('replayRun()', options, {
    tools: 'any',
    resources: oneOf(['refuse', 'live']),
    record: 'object!',
    prompt: 'object!',
    onDrift: oneOf(['stop', 'force', 'continue']),
    adapter: 'object',
    options: 'object',
  });
  const { record, prompt, onDrift = 'stop', adapter } = options;
  if (record.isToolRuntime) {
    throw new PromptValidationError(
      `The run "${record.runId}" cannot be replayed: it is that of a tool runtime, and the record does not have the loop around its calls.`,
      { details: { option: 'record' } },
    );
  }
  if (onDrift !== 'continue') return { record, prompt, onDrift, handover: undefined };
  const handover = adapter === undefined ? undefined : modelOf(adapter);
  if (handover === undefined)
    throw new PromptValidationError(
      "The option adapter of replayRun() must be an adapter that providerAdapter() made, for onDrift: 'continue'.",
      { details: { option: 'adapter' } },
    );
  return { record, prompt, onDrift, handover };
}

/** The prompt on the files of the record, where it has files. */
function withFilesOf(files: StartFiles, prompt: Prompt, clock: ReplayClock): Prompt {
  if (!prompt.resources().has(Filesystem)) return prompt;
  return prompt['~with'](ResourceRegistry.of([binding(Filesystem, { instance: files.toFilesystem(clock) })]));
}

/** A session in the state that a run began with, and what of that state it could not take. */
interface StartSession {
  readonly session: Session;
  readonly notes: readonly string[];
}

/** Opens a session with the state that a run began with. The caller disposes it. */
function startSession(
  record: RunRecord,
  prompt: Prompt,
  parts: { readonly clock: Clock; readonly ids: IdSource },
): StartSession {
  const session = new Session({ id: record.sessionId, ...parts });
  const slices = [...evaluationSlices, ...prompt.slices()];
  for (const slice of slices) session.install(slice);
  const notes: string[] = [];
  const known = new Set(slices.map(({ name }) => name));
  for (const { name, policy, items } of record.stateAt(0)) {
    if (items.length === 0) continue;
    if (!known.has(name)) {
      notes.push(`The state of the slice "${name}" is left out: no section of the prompt has such a slice.`);
      continue;
    }
    const values = items.map(({ value }) => value);
    const isLog = policy === 'log';
    try {
      session.applyQuietly({
        operations: isLog ? [] : [{ op: 'write', slice: name, operation: { op: 'replace', items: values } }],
        log: isLog ? [{ slice: name, items: values }] : [],
        events: [],
      });
    } catch (error) {
      notes.push(`The state of the slice "${name}" is left out: ${describeError(error)}`);
    }
  }
  return { session, notes };
}
