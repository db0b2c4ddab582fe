import { describe, expect, test } from 'vitest';
import {
  BudgetExceededError,
  binding,
  DeadlineExceededError,
  defineEvent,
  defineSlice,
  type EvaluationPhase,
  MemoryFilesystem,
  OutputParseError,
  PolicyDecision,
  PromptEvaluationError,
  resourceToken,
  Session,
  type Slice,
  type ToolContext,
  type ToolPolicy,
  ToolResult,
  ToolValidationError,
  TransactionClosedError,
  tool,
  VisibilityExpansionRequired,
} from 'weakincentives';
import { z } from 'zod';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { type CallSetup, only, runCalls, startCalls } from '../../../../support/run-calls.ts';

const Touched = defineEvent({ name: 'touched', schema: z.object({ by: z.string() }) });
const Touches: Slice<{ by: string }> = defineSlice({
  name: 'touches',
  schema: z.object({ by: z.string() }),
  reducers: (on) => [on(Touched, (items, payload) => items.replace([payload]))],
});

/** Changes everything that a call can change, so that a trace of it would be seen. */
async function touchEverything(context: ToolContext): Promise<void> {
  context.session.dispatch(Touched, { by: context.callId });
  await context.filesystem.write('existing.txt', 'overwritten');
  await context.filesystem.write('new/file.txt', 'created');
  await context.filesystem.remove('removed.txt');
}

const files = { 'existing.txt': 'as it was', 'removed.txt': 'still here' };

async function expectNoTrace(session: Session, filesystem: MemoryFilesystem): Promise<void> {
  expect(session.slice(Touches).all()).toEqual([]);
  expect((await filesystem.read('existing.txt')).text).toBe('as it was');
  expect((await filesystem.read('removed.txt')).text).toBe('still here');
  expect(await filesystem.stat('new')).toBeUndefined();
}

const touch = (finish: (context: ToolContext) => unknown, extra: object = {}): CallSetup['tools'][number] =>
  tool({
    name: 'touch',
    description: 'Touches everything, then ends in some way.',
    effects: 'state',
    ...extra,
    execute: async (_params, context) => {
      await touchEverything(context);
      // What handlers return that were written without types.
      return (await finish(context)) as ToolResult<null>;
    },
  });

interface Row {
  readonly what: string;
  readonly setup: CallSetup;
  readonly outcome: string;
  readonly reason: string;
  readonly text: RegExp;
}

const calls = [{ name: 'touch' }];
const broken = (name: string, hooks: Partial<ToolPolicy>): ToolPolicy => ({ name, ...hooks });
const explode = (): never => {
  throw new Error('kaboom');
};
const Leaky = resourceToken<{ readonly leaky: true }>('leaky');

const rows: readonly Row[] = [
  {
    what: 'a handler that wants sections which there are not',
    setup: {
      tools: [
        touch(() => {
          throw new VisibilityExpansionRequired(['tols'], 'more is needed');
        }),
      ],
      calls,
    },
    outcome: 'rolled-back',
    reason: 'sections-not-opened',
    text: /"touch" was rolled back.*more is needed.*no section "tols".*Nearest: "tools"/,
  },
  {
    what: 'an unknown tool, with the names there are',
    setup: { tools: [touch(() => ToolResult.ok(null))], calls: [{ name: 'tuch' }] },
    outcome: 'rejected',
    reason: 'unknown-tool',
    text: /no tool "tuch".*touch/,
  },
  {
    what: 'a tool without a handler',
    setup: {
      tools: [tool({ name: 'declared', description: 'Only declared.' })],
      calls: [{ name: 'declared' }],
    },
    outcome: 'rejected',
    reason: 'no-handler',
    text: /without a handler/,
  },
  {
    what: 'arguments that are no JSON',
    setup: { tools: [touch(() => ToolResult.ok(null))], calls: [{ name: 'touch', arguments: '{"a": ' }] },
    outcome: 'rejected',
    reason: 'invalid-arguments',
    text: /must be one JSON object.*not valid JSON/,
  },
  {
    what: 'arguments that are no object',
    setup: { tools: [touch(() => ToolResult.ok(null))], calls: [{ name: 'touch', arguments: '[1]' }] },
    outcome: 'rejected',
    reason: 'invalid-arguments',
    text: /must be one JSON object.*an array/,
  },
  {
    what: 'arguments for a tool that takes none',
    setup: {
      tools: [touch(() => ToolResult.ok(null))],
      calls: [{ name: 'touch', arguments: { surplus: 1 } }],
    },
    outcome: 'rejected',
    reason: 'invalid-arguments',
    text: /^Tool validation failed: .*surplus/,
  },
  {
    what: 'params that break the schema',
    setup: {
      tools: [touch(() => ToolResult.ok(null), { inputSchema: z.object({ count: z.number() }) })],
      calls: [{ name: 'touch', arguments: { count: 'many' } }],
    },
    outcome: 'rejected',
    reason: 'invalid-arguments',
    text: /^Tool validation failed: [^]*count[^]*many/,
  },
  {
    what: 'ToolValidationError',
    setup: {
      calls,
      tools: [
        touch(() => {
          throw new ToolValidationError('from must come before to');
        }),
      ],
    },
    outcome: 'rolled-back',
    reason: 'validation',
    text: /^Tool validation failed: from must come before to$/,
  },
  {
    what: 'a denial by check',
    setup: {
      calls,
      tools: [touch(() => ToolResult.ok(null))],
      policies: [broken('office-hours', { check: () => PolicyDecision.deny('come back tomorrow') })],
    },
    outcome: 'denied',
    reason: 'denied',
    text: /denied by the policy "office-hours": come back tomorrow/,
  },
  {
    what: 'a check that throws',
    setup: {
      calls,
      tools: [touch(() => ToolResult.ok(null))],
      policies: [broken('fragile', { check: explode })],
    },
    outcome: 'denied',
    reason: 'denied',
    text: /"fragile".*kaboom/,
  },
  {
    what: 'a question that nobody answers',
    setup: {
      calls,
      tools: [touch(() => ToolResult.ok(null))],
      policies: [broken('careful', { check: () => PolicyDecision.ask('sure?') })],
    },
    outcome: 'denied',
    reason: 'not-approved',
    text: /"careful" \(sure\?\): no approver is configured/,
  },
  {
    what: 'a question that is answered with no',
    setup: {
      calls,
      tools: [touch(() => ToolResult.ok(null))],
      policies: [broken('careful', { check: () => PolicyDecision.ask('sure?') })],
      approve: () => ({ approved: false, reason: 'not today' }),
    },
    outcome: 'denied',
    reason: 'not-approved',
    text: /not today/,
  },
  {
    what: 'a denial by checkChanges',
    setup: {
      calls,
      tools: [touch(() => ToolResult.ok(null))],
      policies: [
        broken('frozen', {
          checkChanges: (_call, changes) => PolicyDecision.deny(`${changes.length} files`),
        }),
      ],
    },
    outcome: 'denied',
    reason: 'denied',
    text: /"frozen": 3 files/,
  },
  {
    what: 'changes that are not approved',
    setup: {
      calls,
      tools: [touch(() => ToolResult.ok(null))],
      policies: [broken('reviewed', { checkChanges: () => PolicyDecision.ask('look at it') })],
      approve: (request) => request.changes?.length !== 3,
    },
    outcome: 'denied',
    reason: 'not-approved',
    text: /"reviewed" \(look at it\): it was not approved/,
  },
  {
    what: 'a failed result',
    setup: { calls, tools: [touch(() => ToolResult.error('could not', { left: 2 }))] },
    outcome: 'rolled-back',
    reason: 'failed-result',
    text: /^could not\n\n\{"left":2\}$/,
  },
  {
    what: 'TypeError',
    setup: {
      calls,
      tools: [
        touch(() => {
          throw new TypeError('x is not a function');
        }),
      ],
    },
    outcome: 'rolled-back',
    reason: 'threw',
    text: /"touch" raised TypeError: x is not a function/,
  },
  {
    what: 'any other error',
    setup: { calls, tools: [touch(explode)] },
    outcome: 'rolled-back',
    reason: 'threw',
    text: /"touch" failed: kaboom/,
  },
  {
    what: 'something thrown that is no error',
    setup: {
      calls,
      tools: [
        touch(() => {
          throw 'just text';
        }),
      ],
    },
    outcome: 'rolled-back',
    reason: 'threw',
    text: /"touch" failed: just text/,
  },
  {
    what: 'OutputParseError of a nested evaluation',
    setup: {
      calls,
      tools: [
        touch(() => {
          throw new OutputParseError('no JSON in it');
        }),
      ],
    },
    outcome: 'rolled-back',
    reason: 'threw',
    text: /failed: no JSON in it/,
  },
  {
    what: 'nothing returned',
    setup: { calls, tools: [touch(() => undefined)] },
    outcome: 'rolled-back',
    reason: 'not-a-result',
    text: /returned undefined instead of a ToolResult/,
  },
  {
    what: 'nonsense returned',
    setup: { calls, tools: [touch(() => ({ ok: true }))] },
    outcome: 'rolled-back',
    reason: 'not-a-result',
    text: /returned object instead/,
  },
  {
    what: 'a value that breaks the output schema',
    setup: {
      calls,
      tools: [touch(() => ToolResult.ok({ count: 'x' }), { outputSchema: z.object({ count: z.number() }) })],
    },
    outcome: 'rolled-back',
    reason: 'invalid-output',
    text: /cannot be used[^]*count/,
  },
  {
    what: 'a value that is no JSON',
    setup: { calls, tools: [touch(() => ToolResult.ok({ when: new Date(0) }))] },
    outcome: 'rolled-back',
    reason: 'invalid-output',
    text: /cannot be used[^]*when/,
  },
  {
    what: 'onResult that throws',
    setup: {
      calls,
      tools: [touch(() => ToolResult.ok(null))],
      policies: [broken('ledger', { onResult: explode })],
    },
    outcome: 'rolled-back',
    reason: 'policy-failed',
    text: /"ledger" could not record[^]*kaboom/,
  },
  {
    what: 'a tool-call resource that cannot be disposed',
    setup: {
      calls,
      tools: [
        touch(async (context) => {
          await context.resources.get(Leaky);
          return ToolResult.ok(null);
        }),
      ],
      resources: [
        binding(Leaky, {
          create: () => ({ leaky: true as const, [Symbol.dispose]: explode }),
          scope: 'tool-call',
        }),
      ],
    },
    outcome: 'rolled-back',
    reason: 'dispose-failed',
    text: /could not be disposed[^]*kaboom/,
  },
];

describe('a call that does not succeed leaves no trace and is answered', () => {
  test.each(rows)('$what', async ({ setup, outcome, reason, text }) => {
    const result = await runCalls({ files, slices: [Touches], ...setup });
    const invocation = only(result.invocations);
    expect({ outcome: invocation.outcome, reason: invocation.reason }).toEqual({ outcome, reason });
    expect(invocation.success).toBe(false);
    expect(only(result.texts)).toMatch(text);
    expect(invocation.modelText).toBe(only(result.texts));
    expect(invocation.changes).toEqual([]);
    expect(result.response.text).toBe('done');
    await expectNoTrace(result.session, result.filesystem);
  });
});

test('the same call without a fault changes everything, so the table can fail', async () => {
  const { session, filesystem, invocations } = await runCalls({
    files,
    slices: [Touches],
    calls,
    tools: [touch(() => ToolResult.ok(null))],
  });
  expect(only(invocations)).toMatchObject({
    outcome: 'committed',
    success: true,
    attempts: 1,
    conflicts: [],
  });
  expect(session.slice(Touches).all()).toEqual([{ by: 'call-1-1' }]);
  expect((await filesystem.read('new/file.txt')).text).toBe('created');
  expect(only(invocations).changes).toEqual([
    { path: 'existing.txt', kind: 'modified' },
    { path: 'new/file.txt', kind: 'created' },
    { path: 'removed.txt', kind: 'removed' },
  ]);
});

describe('a handler that does not end', () => {
  test('is given up at its own time limit and can do nothing any more', async () => {
    const clock = createManualClock();
    const waiting = gate();
    let late: readonly (() => unknown)[] = [];
    const run = startCalls({
      files,
      slices: [Touches],
      clock,
      calls,
      tools: [
        touch(
          async (context) => {
            late = [
              () => context.session.dispatch(Touched, { by: 'late' }),
              () => context.session.slice(Touches),
              () => context.filesystem.write('existing.txt', 'late'),
              () => context.filesystem.read('existing.txt'),
            ];
            await waiting.pass();
            return ToolResult.ok(null);
          },
          { timeoutMs: 250 },
        ),
      ],
    });
    await waiting.reached;
    clock.advance(250);
    const { session, filesystem, invocations, texts } = await run.finished;
    expect(only(invocations)).toMatchObject({ outcome: 'rolled-back', reason: 'timeout', durationMs: 250 });
    expect(only(texts)).toContain('250 ms');
    for (const access of late) {
      await expect(async () => access()).rejects.toThrow(TransactionClosedError);
    }
    waiting.open();
    await expectNoTrace(session, filesystem);
  });

  test('sees its abort signal when it is given up', async () => {
    const clock = createManualClock();
    const waiting = gate();
    let signal: AbortSignal | undefined;
    const run = startCalls({
      clock,
      calls,
      files,
      slices: [Touches],
      tools: [
        touch(
          async (context) => {
            signal = context.signal;
            await waiting.pass();
            return ToolResult.ok(null);
          },
          { timeoutMs: 10 },
        ),
      ],
    });
    await waiting.reached;
    expect(signal?.aborted).toBe(false);
    clock.advance(10);
    await run.finished;
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('is left behind when the caller aborts; every call of the turn gets its result', async () => {
    const waiting = gate();
    const abort = new AbortController();
    const reason = new Error('operator pressed stop');
    const run = startCalls({
      files,
      slices: [Touches],
      signal: abort.signal,
      tools: [
        touch(async () => {
          await waiting.pass();
          return ToolResult.ok(null);
        }),
      ],
      calls: [{ name: 'touch' }, { name: 'touch' }],
    });
    await waiting.reached;
    abort.abort(reason);
    const error = await run.finished.catch((thrown: unknown) => thrown);
    expect(PromptEvaluationError.isInstance(error) && error).toMatchObject({
      code: 'evaluation-aborted',
      phase: 'tool',
      cause: reason,
    });
    expect(run.invocations.map((invocation) => invocation.outcome)).toEqual(['aborted', 'aborted']);
    const { conversation } = error as PromptEvaluationError;
    expect(conversation.filter((item) => item.type === 'tool-result')).toHaveLength(2);
    await expectNoTrace(run.session, run.filesystem);
  });

  test('is left behind when the deadline passes', async () => {
    const clock = createManualClock();
    const waiting = gate();
    const { Deadline } = await import('weakincentives');
    const run = startCalls({
      files,
      slices: [Touches],
      clock,
      limits: { deadline: Deadline.after(1_000, clock) },
      calls,
      tools: [
        touch(async () => {
          await waiting.pass();
          return ToolResult.ok(null);
        }),
      ],
    });
    await waiting.reached;
    clock.advance(1_000);
    await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-deadline-exceeded', phase: 'tool' });
    expect(only(run.invocations)).toMatchObject({ outcome: 'aborted', reason: 'deadline' });
    await expectNoTrace(run.session, run.filesystem);
  });
});

interface EndingRow {
  readonly what: string;
  readonly thrown: unknown;
  readonly code: string;
  readonly phase: EvaluationPhase;
}

const endings: readonly EndingRow[] = [
  {
    what: 'DeadlineExceededError',
    thrown: new DeadlineExceededError('too late'),
    code: 'evaluation-deadline-exceeded',
    phase: 'tool',
  },
  {
    what: 'BudgetExceededError',
    thrown: new BudgetExceededError('too dear'),
    code: 'evaluation-budget-exceeded',
    phase: 'budget',
  },
];

describe('what a handler throws to end the run is rethrown', () => {
  test.each(endings)('$what', async ({ thrown, code, phase }) => {
    const run = startCalls({
      files,
      slices: [Touches],
      tools: [
        touch(() => {
          throw thrown;
        }),
        tool({
          name: 'fine',
          description: 'Succeeds.',
          effects: 'state',
          execute: () => ToolResult.ok(null),
        }),
      ],
      calls: [{ name: 'fine' }, { name: 'touch' }, { name: 'fine' }],
    });
    await expect(run.finished).rejects.toMatchObject({ code, phase, cause: thrown });
    expect(run.invocations.map((invocation) => invocation.outcome)).toEqual([
      'committed',
      'aborted',
      'aborted',
    ]);
    await expectNoTrace(run.session, run.filesystem);
  });
});
