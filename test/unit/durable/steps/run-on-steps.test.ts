import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cancelRun,
  ensureRun,
  JournalFencedError,
  PolicyDecision,
  PromptEvaluationError,
  type ProviderAdapter,
  promptTemplate,
  RunLostError,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { type RunOnStepsOptions, type RunOnStepsStart, runOnSteps } from 'weakincentives/durable';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { draws } from '../../../support/draws.ts';
import { type EngineKill, MemoryEngine } from '../../../support/memory-engine.ts';

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The first of all causes. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error;
}

/** An agent that sends letters, a log of what really happened, and an engine. */
function openDesk({
  turns = [
    { toolCalls: [{ name: 'note' }, { name: 'send', arguments: { to: 'ann' } }] },
    { toolCalls: [{ name: 'send', arguments: { to: 'ben' } }] },
    { text: 'done' },
  ] as readonly ScriptedTurn[],
  asks = false,
  template = 'Send the letters.',
} = {}) {
  const log: string[] = [];
  const send = tool({
    name: 'send',
    description: 'Sends.',
    inputSchema: z.object({ to: z.string() }),
    effects: 'external',
    execute: ({ to }, { signal }) => {
      signal.throwIfAborted();
      log.push(`send ${to}`);
      return ToolResult.ok(null, `sent to ${to}`);
    },
  });
  const note = tool({
    name: 'note',
    description: 'Notes.',
    effects: 'read',
    execute: () => ToolResult.ok(null, 'noted'),
  });
  const prompt = promptTemplate({
    ns: 'desk',
    key: 'letters',
    policies: asks
      ? [
          {
            name: 'public',
            check: ({ tool: { name } }) =>
              name === 'send' ? PolicyDecision.ask('Send it?') : PolicyDecision.allow(),
          },
        ]
      : [],
    sections: [section({ title: 'Task', key: 'task', template, tools: [note, send] })],
  }).bind();
  const adapter: ProviderAdapter = scriptedAdapter((_conversation, { turn }) => {
    log.push(`model ${turn}`);
    const next = turns[turn - 1];
    if (next === undefined) throw new Error('The model has nothing more to say.');
    return next;
  });
  const engine = new MemoryEngine();
  let starts = 0;
  const attempt = (
    kill?: EngineKill,
    options: Partial<RunOnStepsOptions<unknown>> = {},
    begin: (run: RunOnStepsStart) => Promise<unknown> = (run) =>
      ensureRun({ adapter, prompt, input: 'Go.', ...run }),
  ) =>
    engine.attempt(
      ({ step, signal }) =>
        runOnSteps({
          step,
          signal,
          runId: 'r',
          start: (run) => {
            starts += 1;
            return begin(run);
          },
          ...options,
        }),
      kill,
    );
  return { log, engine, attempt, adapter, prompt, starts: () => starts };
}

describe('a run on the steps of an engine', () => {
  it('runs once; another attempt returns its answer from the steps', async () => {
    const { attempt, log, engine, starts } = openDesk();
    const first = await attempt();
    expect(first).toMatchObject({ text: 'done', finishReason: 'stop' });
    const happened = ['model 1', 'send ann', 'model 2', 'send ben', 'model 3'];
    expect(log).toEqual(happened);
    expect(await attempt()).toEqual(first);
    expect([log, starts()]).toEqual([happened, 1]);
    expect(engine.names[0]).toEqual(engine.kept.map((_, step) => `rows ${step}`));
    expect(engine.names[1]).toEqual(engine.names[0]);
  });

  it.each(['before', 'worked', 'kept'] as const)(
    'ends the same when it is killed %s at each step',
    async (at) => {
      const whole = openDesk();
      await whole.attempt();
      for (let step = 0; step < whole.engine.kept.length; step += 1) {
        const { attempt, log } = openDesk();
        expect(await attempt({ step, at })).toBe('killed');
        const answer = await attempt();
        expect(answer, `killed ${at} at ${step}`).toMatchObject({ text: 'done' });
        for (const to of ['ann', 'ben'])
          expect(log.filter((line) => line === `send ${to}`).length, `killed ${at} at ${step}`).toBeLessThan(
            2,
          );
      }
    },
  );

  it('is in doubt about a call that had begun and has no result', async () => {
    const whole = openDesk();
    await whole.attempt();
    const begun = whole.engine.kept.findIndex((text) => text.includes('"type":"begin"'));
    const { attempt, log, engine } = openDesk();
    await attempt({ step: begun + 1, at: 'worked' });
    expect(log).toEqual(['model 1', 'send ann']);
    await attempt();
    expect(log.filter((line) => line === 'send ann')).toHaveLength(1);
    expect(engine.kept.join('\n')).toContain('in-doubt');
  });

  it('does not begin what the engine has not kept', async () => {
    const whole = openDesk();
    await whole.attempt();
    const begun = whole.engine.kept.findIndex((text) => text.includes('"type":"begin"'));
    const { adapter, prompt, log } = openDesk();
    let steps = 0;
    const worked = new Promise<void>((resolve) => {
      void runOnSteps({
        runId: 'r',
        step: async (_name, work) => {
          const text = await work();
          if (steps < begun) steps += 1;
          else {
            resolve();
            await new Promise(() => undefined);
          }
          return text;
        },
        start: (run) => ensureRun({ adapter, prompt, input: 'Go.', ...run }),
      });
    });
    await worked;
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(log).toEqual(['model 1']);
  });

  it('refuses tools with once: an engine keeps one run, not what all of them did', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      once: () => 'invoice/1',
      execute: () => ToolResult.ok(null, 'Paid.'),
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'pay',
      sections: [section({ title: 'Task', key: 'task', template: 'Pay.', tools: [pay] })],
    }).bind();
    const { attempt, adapter } = openDesk();
    const refused = attempt(undefined, {}, (run) => ensureRun({ adapter, prompt, ...run }));
    expect(String(causeOf(await failureOf(refused)))).toContain(
      'has the option once, which needs a journal with a ledger',
    );
  });

  it('survives any number of kills', async () => {
    const kill = fc.record({ step: fc.nat(12), at: fc.constantFrom('before', 'worked', 'kept') });
    const turn = fc.array(fc.constantFrom('note', 'send'), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(kill, { maxLength: 5 }),
        fc.array(turn, { maxLength: 3 }),
        async (kills, script) => {
          let letters = 0;
          const turns = [
            ...script
              .filter((names) => names.length > 0)
              .map((names) => ({
                toolCalls: names.map((name) =>
                  name === 'note' ? { name } : { name, arguments: { to: `${(letters += 1)}` } },
                ),
              })),
            { text: 'done' },
          ];
          const { attempt, log, engine } = openDesk({ turns });
          for (const each of kills) await attempt(each);
          expect(await attempt()).toMatchObject({ text: 'done' });
          const sent = log.filter((line) => line.startsWith('send'));
          expect(new Set(sent).size).toBe(sent.length);
          // One that was not sent is in doubt.
          if (sent.length < letters) expect(engine.kept.join('\n')).toContain('in-doubt');
        },
      ),
      { numRuns: draws(300) },
    );
  });

  it('is refused in the end by an engine that ends each attempt after one step, and sends nothing twice', async () => {
    const { attempt, log, engine } = openDesk();
    let outcome: unknown = 'killed';
    for (let left = 40; left > 0 && outcome === 'killed'; left -= 1)
      outcome = await attempt({ step: engine.kept.length, at: 'kept' }).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ code: 'run-interrupted-repeatedly' });
    expect(log.filter((line) => line.startsWith('send'))).toEqual([]);
  });

  it('continues in one of two attempts at the same time', async () => {
    const { attempt, log, engine } = openDesk();
    const outcomes = await Promise.allSettled([attempt(), attempt()]);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refusals).toHaveLength(1);
    expect(JournalFencedError.isInstance(refusals[0])).toBe(true);
    expect(log.filter((line) => line.startsWith('send'))).toEqual(['send ann', 'send ben']);
    expect(await attempt()).toMatchObject({ text: 'done' });
    expect(engine.kept.length).toBeGreaterThan(3);
  });

  it('is lost when the attempt has ended, and its calls are aborted', async () => {
    const { prompt, adapter, log } = openDesk();
    const controller = new AbortController();
    let steps = 0;
    const rejected = await failureOf(
      runOnSteps({
        runId: 'r',
        signal: controller.signal,
        step: async (_name, work) => {
          steps += 1;
          if (steps === 3) controller.abort();
          return work();
        },
        start: (run) => ensureRun({ adapter, prompt, input: 'Go.', ...run }),
      }),
    );
    expect(rejected).toBe(controller.signal.reason);
    expect(log.length).toBeLessThan(5);
  });

  it('gives the same rows when the engine tries a step again', async () => {
    const { prompt, adapter, log } = openDesk();
    const answer = await runOnSteps({
      runId: 'r',
      step: async (_name, work) => {
        const [first, second] = [await work(), await work()];
        expect(second).toBe(first);
        return second;
      },
      start: (run) => ensureRun({ adapter, prompt, input: 'Go.', ...run }),
    });
    expect(answer).toMatchObject({ text: 'done' });
    expect(log.filter((line) => line.startsWith('send'))).toHaveLength(2);
  });

  it('begins again from its rows when an engine could not keep a step, in the same attempt or the next', async () => {
    const { prompt, adapter, log, engine } = openDesk();
    let failures = 0;
    const once = () =>
      engine.attempt(({ step, signal }) =>
        runOnSteps({
          runId: 'r',
          signal,
          step: async (name, work) => {
            if (name === 'rows 2' && failures === 0) {
              failures += 1;
              await work();
              throw new Error('The engine is away.');
            }
            return step(name, work);
          },
          start: (run) => ensureRun({ adapter, prompt, input: 'Go.', ...run }),
        }),
      );
    expect(await failureOf(once())).toMatchObject({ message: 'The engine is away.' });
    expect(await once()).toMatchObject({ text: 'done' });
    expect(new Set(log.filter((line) => line.startsWith('send'))).size).toBe(
      log.filter((line) => line.startsWith('send')).length,
    );
  });
});

describe('how a run on steps ends', () => {
  it('with its error, which is thrown in each attempt', async () => {
    const { attempt, log } = openDesk({ turns: [] });
    const first = await failureOf(attempt());
    expect(PromptEvaluationError.isInstance(first)).toBe(true);
    expect(first).toMatchObject({
      name: 'PromptEvaluationError',
      code: 'evaluation-request-failed',
      phase: 'request',
      promptName: 'letters',
      details: { phase: 'request' },
    });
    const asked = log.length;
    const again = await failureOf(attempt());
    expect(again).toBeInstanceOf(PromptEvaluationError);
    expect(JSON.stringify(again)).toBe(JSON.stringify(first));
    expect(String(again)).toBe(String(first));
    expect(causeOf(again)).toMatchObject({ message: 'The model has nothing more to say.' });
    expect(log).toHaveLength(asked);
  });

  it('not with an error that is not final: the engine tries again, and it continues', async () => {
    const { attempt, adapter, prompt } = openDesk();
    let isDown = true;
    const flaky: ProviderAdapter = scriptedAdapter(() => {
      if (isDown) throw new Error('The provider is down.');
      return { text: 'up again' };
    });
    const begin = (run: RunOnStepsStart) => ensureRun({ adapter: flaky, prompt, input: 'Go.', ...run });
    const options = { isFinal: () => false };
    expect(await failureOf(attempt(undefined, options, begin))).toMatchObject({
      code: 'evaluation-request-failed',
    });
    isDown = false;
    expect(await attempt(undefined, options, begin)).toMatchObject({ text: 'up again' });
    void adapter;
  });

  it('not with a refusal: the program can be mended', async () => {
    const { attempt, adapter } = openDesk();
    expect(await attempt({ step: 2, at: 'kept' })).toBe('killed');
    const changed = openDesk({ template: 'Send other letters.' });
    const strict = (run: RunOnStepsStart) =>
      ensureRun({ adapter, prompt: changed.prompt, input: 'Go.', strict: true, ...run });
    expect(await failureOf(attempt(undefined, {}, strict))).toMatchObject({
      code: expect.stringMatching(/./),
    });
    // The program that began it continues.
    expect(await attempt()).toMatchObject({ text: 'done' });
  });

  it('with a cancel for good', async () => {
    const { attempt, adapter, prompt, log } = openDesk();
    const begin = async (run: RunOnStepsStart) => {
      const stopping = scriptedAdapter(async () => {
        await cancelRun({ journal: run.journal, runId: run.runId, by: 'ann' });
        return { toolCalls: [{ name: 'send', arguments: { to: 'ann' } }] };
      });
      return ensureRun({ adapter: stopping, prompt, input: 'Go.', ...run });
    };
    const first = await failureOf(attempt(undefined, {}, begin));
    expect(first).toMatchObject({ code: 'evaluation-cancelled' });
    expect(await failureOf(attempt())).toMatchObject({ code: 'evaluation-cancelled' });
    expect(log).toEqual([]);
    void adapter;
  });

  it('with what `start` returns, as JSON keeps it', async () => {
    const { attempt } = openDesk();
    const begin = async () => ({ at: new Date(5), none: undefined });
    expect(await attempt(undefined, {}, begin)).toEqual({ at: '1970-01-01T00:00:00.005Z' });
    const nothing = openDesk();
    expect(await nothing.attempt(undefined, {}, async () => undefined)).toBeUndefined();
    expect(await nothing.attempt(undefined, {}, async () => 1)).toBeUndefined();
  });
});

describe('questions of a run on steps', () => {
  const ask = {
    asks: true,
    turns: [{ toolCalls: [{ name: 'send', arguments: { to: 'ann' } }] }, { text: 'done' }],
  };
  const suspending =
    ({ adapter, prompt }: ReturnType<typeof openDesk>) =>
    (run: RunOnStepsStart) =>
      ensureRun({ adapter, prompt, input: 'Go.', approve: suspendApproval(), ...run });

  it('wait outside of the steps, and the run continues with their answers wherever it is killed', async () => {
    const whole = openDesk(ask);
    const yes: RunOnStepsOptions<unknown>['answers'] = async ({ pending }) =>
      pending.map(({ id, digest }) => ({ id, digest, approved: true, by: 'ann' }));
    await whole.attempt(undefined, { answers: yes }, suspending(whole));
    expect(whole.log).toEqual(['model 1', 'send ann', 'model 2']);
    for (let step = 0; step < whole.engine.kept.length; step += 1) {
      const desk = openDesk(ask);
      await desk.attempt({ step, at: 'kept' }, { answers: yes }, suspending(desk));
      const answer = await desk.attempt(undefined, { answers: yes }, suspending(desk));
      expect(answer, `killed at ${step}`).toMatchObject({ text: 'done' });
      expect(desk.log.filter((line) => line === 'send ann').length).toBeLessThan(2);
      expect(desk.engine.names.at(-1)).toEqual(desk.engine.kept.map((_, at) => `rows ${at}`));
    }
  });

  it('are returned where nothing waits for answers', async () => {
    const desk = openDesk(ask);
    const suspended = await desk.attempt(undefined, {}, suspending(desk));
    expect(suspended).toMatchObject({ finishReason: 'suspended', pending: [{ toolName: 'send' }] });
    expect(desk.log).toEqual(['model 1']);
  });

  it('are not asked of a process: an attempt that waits has begun nothing', async () => {
    const desk = openDesk(ask);
    for (const _ of [1, 2]) {
      await new Promise<void>((resolve) => {
        const answers = () => {
          resolve();
          return new Promise<never>(() => undefined);
        };
        void desk.attempt(undefined, { answers }, suspending(desk));
      });
    }
    expect(desk.starts()).toBe(1);
    expect(desk.log).toEqual(['model 1']);
  });
});

describe('steps that are not those of the run', () => {
  const other = (text: string | number) => async () => text as string;
  it.each([
    ['something else', '{"price":5}', 'journal-damaged', 'it has something else'],
    ['no text', 5, 'journal-damaged', 'it has something else'],
    [
      'another run',
      '{"weakincentives":1,"runId":"other","kind":"rows"}',
      'journal-damaged',
      'it is a step of the run "other"',
    ],
    [
      'a part of it',
      '{"weakincentives":1,"runId":"r","kind":"rows","sessionId":"r","from":0,"types":["a"],"summary":{}}',
      'journal-damaged',
      'it is not whole',
    ],
    ['a later version', '{"weakincentives":2,"runId":"r"}', 'journal-version-unsupported', 'another version'],
  ])('are refused: %s', async (_, text, code, why) => {
    const { attempt, log } = openDesk();
    const refused = attempt(undefined, { step: other(text) });
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(why) });
    expect(log).toEqual([]);
  });

  it('keep one run', async () => {
    const { attempt, adapter, prompt } = openDesk();
    const begin = (run: RunOnStepsStart) =>
      ensureRun({ adapter, prompt, input: 'Go.', ...run, runId: 'other' });
    const error = await failureOf(attempt(undefined, {}, begin));
    expect(RunLostError.isInstance(error) || error instanceof Error).toBe(true);
    expect(error).toMatchObject({ message: expect.stringContaining('cannot keep rows of "other"') });
  });

  it('are refused by name as options', async () => {
    const options = { step: other(''), runId: 'r', start: async () => 1, sessionId: 's' };
    await expect(runOnSteps(options)).rejects.toThrow(/sessionId/);
  });
});
