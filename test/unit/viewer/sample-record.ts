import type {
  RecordedAttempt,
  RecordedCall,
  RecordedCommit,
  RecordedRun,
  RecordedSlice,
  RecordedTurn,
  RunRecord,
} from 'weakincentives/record';

/** Everything may be changed but what would be inconsistent. */
type Loose<T> = { -readonly [Key in keyof T]: T[Key] };

export type SampleCall = Partial<Omit<RecordedCall, 'attempts' | 'run' | 'inner'>> & {
  readonly attempts?: readonly Partial<RecordedAttempt>[];
  /** Turns of an evaluation inside it. */
  readonly inside?: readonly SampleTurn[];
};

export interface SampleTurn {
  readonly text?: string;
  readonly calls?: readonly SampleCall[];
  readonly events?: RecordedTurn['events'];
  readonly tokens?: number;
}

/** A record made by hand: each turn takes 100 ms of the model, each call 10 ms after that. */
export function sampleRecord(
  turns: readonly SampleTurn[],
  more: {
    readonly slices?: (seq: number) => readonly RecordedSlice[];
    readonly policies?: readonly string[];
  } = {},
): RunRecord {
  const runs: Loose<RecordedRun>[] = [];
  const calls: RecordedCall[] = [];
  const commits: RecordedCommit[] = [];
  let atMs = 0;

  const addRun = (list: readonly SampleTurn[], parent: RecordedRun['parent']): RecordedRun => {
    const run: Loose<RecordedRun> = {
      index: runs.length,
      evaluationId: `evaluation-${runs.length}`,
      ...(parent === undefined ? {} : { parent }),
      promptName: parent === undefined ? 'sample' : 'inner',
      prompt: { namespace: 'test', key: 'sample', hash: 'hash' },
      adapter: 'scripted',
      model: 'scripted-1',
      settings: {},
      tools: [],
      toolsHash: 'tools',
      policies: more.policies ?? [],
      startedAtMs: atMs,
      turns: [],
    };
    runs.push(run);
    const made: RecordedTurn[] = [];
    run.turns = made;
    list.forEach((turn, index) => made.push(addTurn(run, turn, index + 1)));
    run.endedAtMs = atMs;
    run.outcome = 'finished';
    return run;
  };

  const addTurn = (run: RecordedRun, sample: SampleTurn, number: number): RecordedTurn => {
    const made: RecordedCall[] = [];
    const startedAtMs = atMs;
    atMs += 100;
    const turn: Loose<RecordedTurn> = {
      run,
      number,
      startedAtMs,
      response: {
        atMs,
        durationMs: 100,
        text: sample.text ?? `Turn ${number}.`,
        reasoning: '',
        content: [],
        isRedacted: false,
        usage: { inputTokens: sample.tokens ?? 1000, outputTokens: 10 },
      },
      calls: made,
      events: sample.events ?? [],
    };
    (sample.calls ?? []).forEach((call, index) => made.push(addCall(run, call, number, index + 1)));
    turn.endedAtMs = atMs;
    return turn;
  };

  const addCall = (run: RecordedRun, sample: SampleCall, turn: number, number: number): RecordedCall => {
    const { inside, attempts, ...rest } = sample;
    const startedAtMs = atMs;
    atMs += 10;
    const outcome = 'outcome' in sample ? sample.outcome : 'committed';
    const prefix = run.parent === undefined ? '' : `${run.parent.call.id}/`;
    const seq = outcome === 'committed' && run.index === 0 ? commits.length + 1 : undefined;
    const inner: RecordedRun[] = [];
    const call: Loose<RecordedCall> = {
      id: `${prefix}call-${turn}-${number}`,
      run,
      turn,
      callId: `call-${turn}-${number}`,
      toolName: 'read_file',
      ...(outcome === undefined ? {} : { outcome }),
      ...(seq === undefined ? {} : { seq }),
      isFinal: outcome === 'committed',
      attempts: (attempts ?? [{}]).map((attempt, index) => ({
        number: index + 1,
        life: 0,
        outcome: outcome ?? 'aborted',
        phases: {
          requestedAtMs: startedAtMs,
          startedAtMs,
          endedAtMs: atMs,
          settledAtMs: atMs,
          approvals: [],
        },
        reads: [],
        policies: [],
        conflicts: [],
        writes: [],
        log: [],
        events: [],
        files: [],
        ...attempt,
      })),
      feedback: [],
      approvals: [],
      residualEffects: [],
      openedSections: [],
      startedAtMs,
      endedAtMs: atMs,
      inner,
      progress: [],
      isRedacted: false,
      ...rest,
    };
    calls.push(call);
    if (inside !== undefined) inner.push(addRun(inside, { call, attempt: 1, evaluation: 1 }));
    const attempt = call.attempts.at(-1);
    if (seq !== undefined && attempt !== undefined) {
      const changes = attempt.files.length + attempt.writes.length > 0;
      commits.push({ seq, atMs, call, attempt, changes });
    }
    return call;
  };

  const root = addRun(turns, undefined);
  return {
    runId: 'run-1',
    sessionId: 'session-1',
    startedAtMs: 0,
    version: 'wink-run/1',
    isRedacted: false,
    isToolRuntime: false,
    isComplete: true,
    isTorn: false,
    unknownRows: {},
    root,
    runs,
    turns: runs.flatMap((run) => run.turns),
    calls,
    commits,
    problems: [],
    pauses: [],
    questions: [],
    redactions: [],
    interruptions: 0,
    call: (id) => calls.find((call) => call.id === id),
    stateAt: more.slices ?? (() => []),
    filesAt: () => [],
    blameLines: () => [],
  };
}
