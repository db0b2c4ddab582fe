import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  binding,
  type CallCommit,
  type DiscardedAttempt,
  defineEvent,
  defineSlice,
  type EvaluateOptions,
  Filesystem,
  MemoryFilesystem,
  type ObservedRequest,
  type ObservedResponse,
  type ObservedState,
  openToolRuntime,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  type RunEvent,
  type RunObserver,
  type RunScope,
  redactPatterns,
  reducers,
  Session,
  type Slice,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { createManualClock, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { act } from '../../../../support/act.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import { promptOf } from '../../../../support/prompt-of.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { only } from '../../../../support/run-calls.ts';

const Noted = defineEvent({ name: 'noted', schema: z.object({ text: z.string() }) });
const Seen = defineEvent({ name: 'seen', schema: z.object({ text: z.string() }) });
const Notes: Slice<{ text: string }> = defineSlice({
  name: 'notes',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Noted, reducers.append())],
});
const Sightings: Slice<{ text: string }> = defineSlice({
  name: 'sightings',
  policy: 'log',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Seen, reducers.append())],
});

const note = tool({
  name: 'note',
  description: 'Takes a note.',
  effects: 'state',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }, { session, filesystem }) => {
    session.dispatch(Seen, { text });
    session.dispatch(Noted, { text });
    await filesystem?.write(`${text}.md`, text);
    if (text === 'bad') throw new TypeError('A bad note.');
    return ToolResult.ok(null, `Noted ${text}.`);
  },
});

interface Heard {
  readonly commits: CallCommit[];
  readonly discarded: DiscardedAttempt[];
  readonly requests: ObservedRequest[];
  readonly responses: ObservedResponse[];
  readonly states: ObservedState[];
  readonly events: RunEvent[];
  readonly observer: RunObserver;
}

function listen(): Heard {
  const heard: Omit<Heard, 'observer'> = {
    commits: [],
    discarded: [],
    requests: [],
    responses: [],
    states: [],
    events: [],
  };
  return {
    ...heard,
    observer: {
      onEvent: (event) => heard.events.push(event),
      onState: (state) => heard.states.push(state),
      onRequest: (request) => heard.requests.push(request),
      onResponse: (response) => heard.responses.push(response),
      onCommit: (commit) => heard.commits.push(commit),
      onDiscard: (attempt) => heard.discarded.push(attempt),
    },
  };
}

function promptWith(
  tools: readonly AnyTool[],
  policies: readonly ToolPolicy[] = [],
  files: Readonly<Record<string, string>> = {},
): Prompt {
  const task = section({ title: 'Task', key: 'task', template: 'Do it.', tools, slices: [Notes, Sightings] });
  const resources = [binding(Filesystem, { instance: new MemoryFilesystem({ files }) })];
  return promptTemplate({ ns: 'test', key: 'observed', sections: [task], policies, resources }).bind();
}

const calls = (...texts: readonly string[]): ScriptedTurn => ({
  toolCalls: texts.map((text) => ({ name: 'note', arguments: { text } })),
});
const done: ScriptedTurn = { text: 'done' };

async function observe(
  prompt: Prompt,
  turns: readonly ScriptedTurn[],
  options: EvaluateOptions = {},
): Promise<Heard> {
  const heard = listen();
  await scriptedAdapter(turns).evaluate(prompt, { observers: [heard.observer], ...options });
  return heard;
}

describe('a commit', () => {
  it('is reported with what the call read, wrote and waited for', async () => {
    const clock = createManualClock(1_000);
    const { commits } = await observe(promptWith([note]), [calls('a'), done], { clock });
    const commit = only(commits);
    expect(commit).toMatchObject({
      path: [],
      turn: 1,
      callId: 'call-1-1',
      toolName: 'note',
      attempt: 1,
      effects: 'state',
      params: { text: 'a' },
      base: 0,
      seq: 1,
      isFinal: true,
      isRedacted: false,
      policies: [],
      writes: [{ slice: 'notes', op: 'append', items: [{ text: 'a' }] }],
      log: [{ slice: 'sightings', items: [{ text: 'a' }] }],
      events: [{ name: 'seen' }, { name: 'noted' }, { name: 'tool.note.succeeded' }],
      phases: {
        requestedAtMs: 1_000,
        startedAtMs: 1_000,
        handlerStartedAtMs: 1_000,
        handlerEndedAtMs: 1_000,
        endedAtMs: 1_000,
        settledAtMs: 1_000,
        approvals: [],
      },
      invocation: { callId: 'call-1-1', outcome: 'committed' },
    });
    expect(commit.files.map(({ path, kind, after }) => [path, kind, after?.text()])).toEqual([
      ['a.md', 'created', 'a'],
    ]);
    expect(commit.reads.map(({ what }) => what)).toEqual(['kind a.md']);
  });

  it('comes in the order of the commits, before the call is delivered', async () => {
    const first = gate();
    const slow = act('slow', () => first.pass());
    const quick = act('quick', () => first.open());
    const heard = listen();
    const order: string[] = [];
    await scriptedAdapter([{ toolCalls: [{ name: 'slow' }, { name: 'quick' }] }, done]).evaluate(
      promptWith([slow, quick]),
      {
        observers: [
          heard.observer,
          {
            onCommit: ({ toolName, seq }) => order.push(`commit ${seq} ${toolName}`),
            onEvent: (event) => {
              if (event.type === 'tool-call-end') order.push(`end ${event.toolName}`);
            },
          },
        ],
      },
    );
    expect(order).toEqual(['commit 1 slow', 'end slow', 'commit 2 quick', 'end quick']);
    expect(heard.commits.map(({ base }) => base)).toEqual([0, 0]);
  });

  it('of a call inside another one is not final', async () => {
    const inner = promptOf({ tools: [note] });
    const outer = act('outer', async ({ adapter }) => {
      await adapter.evaluate(inner);
    });
    const script = [{ toolCalls: [{ name: 'outer' }] }, calls('in'), done, done];
    let asked = 0;
    const heard = listen();
    await scriptedAdapter(() => script[asked++] ?? done).evaluate(promptWith([outer]), {
      observers: [heard.observer],
    });
    expect(
      heard.commits.map(({ toolName, path, seq, isFinal }) => ({ toolName, path, seq, isFinal })),
    ).toEqual([
      { toolName: 'note', path: ['call-1-1'], seq: undefined, isFinal: false },
      { toolName: 'outer', path: [], seq: 1, isFinal: true },
    ]);
    const [innerCommit, outerCommit] = heard.commits;
    expect(innerCommit?.evaluationId).not.toBe(outerCommit?.evaluationId);
    expect(innerCommit?.writes).toEqual(outerCommit?.writes);
    const starts = heard.events.flatMap((event) =>
      event.type === 'run-start' && event.path.length > 0 ? [event.evaluationId] : [],
    );
    expect(starts).toEqual([innerCommit?.evaluationId]);
  });

  it('tells what policies answered and how long a person took', async () => {
    const clock = createManualClock(0);
    const careful: ToolPolicy = {
      name: 'careful',
      check: () => PolicyDecision.allow(),
      checkChanges: () => PolicyDecision.ask('Is it fine?'),
    };
    const { commits } = await observe(promptWith([note], [careful]), [calls('a'), done], {
      clock,
      approve: async () => {
        clock.advance(500);
        return true;
      },
    });
    expect(only(commits)).toMatchObject({
      policies: [
        { policy: 'careful', about: 'call', outcome: 'allow', isEnforced: true },
        { policy: 'careful', about: 'changes', outcome: 'ask', reason: 'Is it fine?', isEnforced: true },
      ],
      phases: { approvals: [{ fromMs: 0, toMs: 500 }], endedAtMs: 500 },
    });
  });
});

describe('a discarded attempt', () => {
  it('has what it would have changed, and what it read and others changed', async () => {
    const door = gate();
    const count = act('count', async ({ session, attempt }) => {
      const { length } = session.slice(Notes).all();
      if (attempt === 1) await door.pass();
      session.dispatch(Noted, { text: `after ${length}` });
    });
    const prompt = promptWith([note, count]);
    const turn = { toolCalls: [{ name: 'note', arguments: { text: 'a' } }, { name: 'count' }] };
    const heard = listen();
    const run = scriptedAdapter([turn, done]).evaluate(prompt, {
      observers: [heard.observer, { onCommit: () => door.open() }],
    });
    await run;
    expect(only(heard.discarded)).toMatchObject({
      toolName: 'count',
      attempt: 1,
      base: 0,
      why: 'superseded',
      conflicts: [{ what: 'slice notes', read: { kind: 'slice', slice: 'notes' } }],
      writes: [{ slice: 'notes', op: 'append', items: [{ text: 'after 0' }] }],
    });
    expect(only(heard.discarded)).not.toHaveProperty('invocation');
    expect(heard.commits.map(({ toolName, attempt, base }) => [toolName, attempt, base])).toEqual([
      ['note', 1, 0],
      ['count', 2, 1],
    ]);
  });

  it('keeps the log entries that remain', async () => {
    const { commits, discarded } = await observe(promptWith([note]), [calls('bad'), done]);
    expect(commits).toEqual([]);
    const attempt = only(discarded);
    expect(attempt).toMatchObject({
      why: 'failed',
      conflicts: [],
      writes: [{ slice: 'notes', op: 'append', items: [{ text: 'bad' }] }],
      log: [{ slice: 'sightings', items: [{ text: 'bad' }] }],
      invocation: { outcome: 'rolled-back', reason: 'threw' },
    });
    expect(attempt.files.map(({ path, after }) => [path, after?.text()])).toEqual([['bad.md', 'bad']]);
  });

  it.each([
    ['denied', 'note', { text: 'a' }, { outcome: 'denied', reason: 'denied' }, 1],
    [
      'with arguments that do not fit',
      'note',
      { text: 3 },
      { outcome: 'rejected', reason: 'invalid-arguments' },
      1,
    ],
    ['of an unknown tool', 'nothing', {}, { outcome: 'rejected', reason: 'unknown-tool' }, 0],
  ])('is reported for a call %s', async (_what, name, given, invocation, attempt) => {
    const never: ToolPolicy = { name: 'never', check: () => PolicyDecision.deny('No.') };
    const { discarded } = await observe(promptWith([note], [never]), [
      { toolCalls: [{ name, arguments: given }] },
      done,
    ]);
    expect(only(discarded)).toMatchObject({ why: 'failed', attempt, invocation });
  });
});

describe('state', () => {
  it('is reported as it is at the start', async () => {
    const session = new Session();
    session.install(Notes);
    session.dispatch(Noted, { text: 'before' });
    const { states } = await observe(promptWith([note]), [done], { session });
    const start = only(states);
    expect(start).toMatchObject({ kind: 'start', path: [], log: [] });
    expect(start.writes).toEqual([{ slice: 'notes', op: 'append', items: [{ text: 'before' }] }]);
    expect(start.slices.slice(0, 1)).toEqual([
      { name: 'notes', policy: 'state', isKeyed: false, version: 1 },
    ]);
    expect(start.slices.map(({ name }) => name)).toContain('sightings');
  });

  it('is reported when a subscriber changes it, before the next commit', async () => {
    const session = new Session();
    session.install(Notes);
    session.dispatcher.subscribe(Noted, ({ text }) => {
      if (text === 'a') session.dispatch(Noted, { text: 'echo' });
    });
    const order: unknown[] = [];
    await scriptedAdapter([calls('a'), calls('b'), done]).evaluate(promptWith([note]), {
      session,
      observers: [
        {
          onCommit: ({ writes }) => order.push(['commit', writes]),
          onState: ({ kind, writes }) => order.push([kind, writes]),
        },
      ],
    });
    const appended = (text: string) => [{ slice: 'notes', op: 'append', items: [{ text }] }];
    expect(order).toEqual([
      ['start', []],
      ['commit', appended('a')],
      ['change', appended('echo')],
      ['commit', appended('b')],
    ]);
  });
});

describe('requests and answers', () => {
  it('are reported with what is new in the conversation', async () => {
    const { requests, responses } = await observe(promptWith([note]), [calls('a'), done], {
      input: 'Please.',
      settings: { temperature: 0 },
    });
    expect(
      requests.map(({ turn, edits, length }) => [
        turn,
        length,
        edits.map(({ at, remove, insert }) => [at, remove, insert.map(({ type }) => type)]),
      ]),
    ).toEqual([
      [1, 1, [[0, 0, ['user']]]],
      [2, 3, [[1, 0, ['assistant', 'tool-result']]]],
    ]);
    expect(requests[0]).toMatchObject({ toolChoice: 'auto', settings: { temperature: 0 }, path: [] });
    expect(requests[0]?.instructions).toContain('Do it.');
    expect(requests[1]?.tools).toBe(requests[0]?.tools);
    expect(responses).toMatchObject([
      { turn: 1, outcome: 'answered', finishReason: 'tool-calls', content: [{ type: 'tool-call' }] },
      { turn: 2, outcome: 'answered', finishReason: 'stop', content: [{ type: 'text', text: 'done' }] },
    ]);
  });

  it('are reported when the model fails', async () => {
    const heard = listen();
    await evaluationFailure(
      scriptedAdapter([]).evaluate(promptWith([note]), { observers: [heard.observer] }),
    );
    expect(heard.requests).toHaveLength(1);
    expect(only(heard.responses)).toMatchObject({
      outcome: 'failed',
      turn: 1,
      error: { name: 'RangeError', message: expect.stringContaining('The script has 0 turns') },
    });
  });
});

describe('around', () => {
  it('does each piece of work in the context of the observer', async () => {
    const scopes: string[] = [];
    const open: string[] = [];
    const nameOf = (scope: RunScope): string =>
      [
        scope.kind,
        ...('turn' in scope ? [scope.turn] : []),
        ...('callId' in scope ? [scope.toolName, scope.attempt] : []),
        ...scope.path.map((id) => `in ${id}`),
      ].join(' ');
    const around: RunObserver['around'] = (scope, work) => {
      scopes.push(`${'  '.repeat(open.length)}${nameOf(scope)}`);
      open.push(scope.kind);
      const result = work();
      // All work of a run is asynchronous.
      void Promise.resolve(result).then(
        () => open.pop(),
        () => open.pop(),
      );
      return result;
    };
    const inner = promptOf({ tools: [note] });
    const outer = act('outer', async ({ adapter }) => {
      await adapter.evaluate(inner);
    });
    const script = [{ toolCalls: [{ name: 'outer' }] }, calls('bad'), done, done];
    let asked = 0;
    const response = await scriptedAdapter(() => script[asked++] ?? done).evaluate(promptWith([outer]), {
      observers: [{ around }],
    });
    expect(response.text).toBe('done');
    expect(scopes).toEqual([
      'run',
      '  turn 1',
      '    model-call 1',
      '    tool-call 1 outer 1',
      '      run in call-1-1',
      '        turn 1 in call-1-1',
      '          model-call 1 in call-1-1',
      '          tool-call 1 note 1 in call-1-1',
      '        turn 2 in call-1-1',
      '          model-call 2 in call-1-1',
      '  turn 2',
      '    model-call 2',
    ]);
  });

  it('of a tool runtime is for its calls', async () => {
    const kinds: string[] = [];
    await using runtime = await openToolRuntime(promptWith([note]), {
      observers: [
        {
          around: (scope, work) => {
            kinds.push(scope.kind);
            return work();
          },
        },
      ],
    });
    await runtime.call({ callId: 'c1', name: 'note', arguments: { text: 'a' } });
    expect(kinds).toEqual(['tool-call']);
  });

  it.each<[string, NonNullable<RunObserver['around']>]>([
    [
      'throws before the work',
      () => {
        throw new Error('no');
      },
    ],
    [
      'throws after the work',
      (_scope, work) => {
        work();
        throw new Error('no');
      },
    ],
    ['never does the work', () => undefined as never],
    [
      'does the work twice',
      (_scope, work) => {
        work();
        return work();
      },
    ],
  ])('of an observer that %s changes nothing but the log', async (_what, around) => {
    const logger = recordingLogger();
    const session = new Session();
    const response = await scriptedAdapter([calls('a'), done]).evaluate(promptWith([note]), {
      session,
      logger,
      observers: [{ around }],
    });
    expect(response.text).toBe('done');
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }]);
    expect(logger.lines.filter(({ level }) => level === 'error').length).toBeGreaterThan(0);
  });
});

describe('observers', () => {
  it('that fail change nothing', async () => {
    const logger = recordingLogger();
    const fail = (): never => {
      throw new Error('no');
    };
    const session = new Session();
    const heard = listen();
    const response = await scriptedAdapter([calls('a', 'bad'), done]).evaluate(promptWith([note]), {
      session,
      logger,
      observers: [
        {
          onEvent: fail,
          onState: fail,
          onRequest: fail,
          onResponse: async () => fail(),
          onCommit: fail,
          onDiscard: async () => fail(),
        },
        heard.observer,
      ],
    });
    expect(response.text).toBe('done');
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }]);
    expect(heard.commits).toHaveLength(1);
    expect(heard.discarded).toHaveLength(1);
    expect(new Set(logger.lines.map(({ fields }) => fields['event']))).toContain('onCommit');
  });

  it('get nothing that is to be redacted', async () => {
    const heard = await observe(promptWith([note], [], { 'old.md': 'secret-1' }), [calls('secret-2'), done], {
      input: 'Use secret-3.',
      redact: await redactPatterns(['secret-[0-9]']),
    });
    const { observer: _observer, ...all } = heard;
    const contents = heard.commits.flatMap(({ files, reads }) => [
      ...files.flatMap(({ before, after }) => [before?.text(), after?.text()]),
      ...reads.flatMap((read) => ('content' in read ? [read.content?.text()] : [])),
    ]);
    expect(JSON.stringify([all, contents])).not.toMatch(/secret-[0-9]/);
    expect(only(heard.commits)).toMatchObject({ isRedacted: true, seq: 1, effects: 'state' });
    expect(only(heard.commits).writes).toMatchObject([{ slice: 'notes', op: 'append' }]);
    expect(heard.requests.map(({ isRedacted }) => isRedacted)).toEqual([true, true]);
    expect(heard.responses.map(({ isRedacted }) => isRedacted)).toEqual([true, false]);
  });

  it('get what is left of arguments in the digits that the model wrote', async () => {
    const written = { name: 'none', arguments: '{"id":9007199254740993,"key":"secret-1"}' };
    const { responses } = await observe(promptWith([note]), [{ toolCalls: [written] }, done], {
      redact: await redactPatterns(['secret-[0-9]']),
    });
    expect(JSON.stringify(responses[0])).toContain(JSON.stringify('"id":"9007199254740993"').slice(1, -1));
  });

  it('see what a call read before it was changed', async () => {
    const change = act('change', async ({ filesystem }) => {
      const { text } = (await filesystem?.read('old.md')) ?? { text: '' };
      await filesystem?.list('.');
      await filesystem?.stat('none.md');
      await filesystem?.write('old.md', `${text} and new`);
    });
    const { commits } = await observe(promptWith([change], [], { 'old.md': 'old' }), [
      { toolCalls: [{ name: 'change' }] },
      done,
    ]);
    const { reads, files } = only(commits);
    expect(
      reads.map((read) => ({ ...read, ...('content' in read ? { content: read.content?.text() } : {}) })),
    ).toEqual(
      expect.arrayContaining([
        { kind: 'file', what: 'file old.md', path: 'old.md', found: 'file', content: 'old' },
        { kind: 'listing', what: 'listing .', path: '.', names: ['old.md'] },
        { kind: 'file', what: 'file none.md', path: 'none.md', found: 'absent' },
      ]),
    );
    expect(files.map(({ before, after }) => [before?.text(), after?.text()])).toEqual([
      ['old', 'old and new'],
    ]);
  });
});
