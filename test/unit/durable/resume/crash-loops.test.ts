import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type ConversationItem,
  forkRun,
  PolicyDecision,
  promptTemplate,
  resumeRun,
  section,
  suspendApproval,
  type ToolEffects,
  ToolResult,
  tool,
} from 'weakincentives';
import { readRunRecord } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { type Life, type LifeOptions, MortalRun, promptWith } from '../../../support/mortal-lives.ts';

/** A tool that notes that it ran, and ends the process when it is `guilty`. */
function toolOf(
  name: string,
  {
    die,
    ran,
    ...extra
  }: {
    die?: () => void;
    ran: string[];
    effects?: ToolEffects;
    idempotent?: true;
    reconcile?: () => undefined;
  },
): AnyTool {
  return tool({
    name,
    description: 'Works.',
    effects: 'state' as const,
    ...extra,
    execute: async () => {
      ran.push(name);
      await new Promise<void>((resolve) => setImmediate(resolve));
      die?.();
      return ToolResult.ok(null, `${name} is done.`);
    },
  });
}

const calling = (...names: readonly string[]) =>
  scriptedAdapter((_conversation, { turn }) =>
    turn === 1 ? { toolCalls: names.map((name) => ({ name })) } : { text: 'done' },
  );

const resultsOf = (conversation: readonly ConversationItem[]): readonly (readonly [string, string])[] =>
  conversation.flatMap((item) => (item.type === 'tool-result' ? [[item.toolName, item.text] as const] : []));

const countOf = (ran: readonly string[], name: string): number => ran.filter((each) => each === name).length;

const refusal = (name: string, times: string): string =>
  `The call of "${name}" is not made again: the process ended ${times} while it ran, and it never had a result. Do not repeat it as it is: call it with other arguments, or continue without it.`;

describe('a call whose handler ends the process', () => {
  for (const effects of ['read', 'state'] as const) {
    it(`is made five times and fails then, with effects "${effects}"`, async () => {
      const run = new MortalRun();
      const ran: string[] = [];
      const outcome = await run.liveUntilDone(9, ({ die }) => ({
        adapter: calling('parse'),
        prompt: promptWith([toolOf('parse', { die, ran, effects })]),
      }));
      expect(ran).toHaveLength(5);
      expect(run.lives).toBe(6);
      expect(resultsOf(outcome?.conversation ?? [])).toEqual([['parse', refusal('parse', '5 times')]]);
      expect(await run.interruptions()).toBe(5);
      const [attempt] = await run.rows('attempt');
      expect(attempt).toMatchObject({ result: { outcome: 'aborted', reason: 'interrupted-repeatedly' } });
      const lines = (await run.journal.read('run')).map(({ line }) => line);
      expect((await readRunRecord(lines)).interruptions).toBe(5);
    });
  }

  it.each([2, 7])('is made as often as the limit %i says', async (maxInterruptions) => {
    const run = new MortalRun();
    const ran: string[] = [];
    await run.liveUntilDone(12, ({ die }) => ({
      adapter: calling('parse'),
      prompt: promptWith([toolOf('parse', { die, ran })]),
      limits: { maxInterruptions },
    }));
    expect(ran).toHaveLength(maxInterruptions);
  });

  it('is made once more when the answer that asks for it was lost with the process', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const outcome = await run.liveUntilDone(9, ({ die, number }) => ({
      // The process of the first life ends before anything of the answer can be written.
      adapter: scriptedAdapter((_conversation, { turn }) => {
        if (number === 1) die();
        return turn === 1 ? { toolCalls: [{ name: 'parse' }] } : { text: 'done' };
      }),
      prompt: promptWith([toolOf('parse', { die, ran })]),
      limits: { maxInterruptions: 1 },
    }));
    expect(ran).toHaveLength(2);
    expect(resultsOf(outcome?.conversation ?? [])).toEqual([['parse', refusal('parse', '2 times')]]);
  });

  it('is found among several that ran at the same time, which are kept', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const outcome = await run.liveUntilDone(9, ({ die }) => ({
      adapter: calling('a', 'b', 'c'),
      prompt: promptWith([toolOf('a', { ran }), toolOf('b', { ran, die }), toolOf('c', { ran })]),
      limits: { maxInterruptions: 2 },
    }));
    expect(resultsOf(outcome?.conversation ?? [])).toEqual([
      ['a', 'a is done.'],
      ['b', refusal('b', '2 times')],
      ['c', 'c is done.'],
    ]);
    expect(countOf(ran, 'b')).toBe(2);
    expect(countOf(ran, 'a')).toBe(2);
    expect(run.lives).toBe(3);
  });

  it('is counted when effects outside can be repeated, and is in doubt otherwise', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const outcome = await run.liveUntilDone(9, ({ die }) => ({
      adapter: calling('send'),
      prompt: promptWith([toolOf('send', { ran, die, effects: 'external', idempotent: true })]),
      limits: { maxInterruptions: 2 },
    }));
    expect(ran).toHaveLength(2);
    expect(resultsOf(outcome?.conversation ?? [])[0]?.[1]).toMatch(
      /ended 2 times .* What it did outside may remain\./,
    );
    const doubted = new MortalRun();
    const sent: string[] = [];
    const read = await doubted.liveUntilDone(9, ({ die }) => ({
      adapter: calling('send'),
      prompt: promptWith([toolOf('send', { ran: sent, die, effects: 'external' })]),
    }));
    expect(sent).toHaveLength(1);
    expect(resultsOf(read?.conversation ?? [])[0]?.[1]).toMatch(/its result is not known/);
  });

  it('is in doubt when what finds out about it ends the process', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const outcome = await run.liveUntilDone(12, ({ die }) => ({
      adapter: calling('send'),
      prompt: promptWith([
        toolOf('send', {
          ran,
          die,
          effects: 'external',
          reconcile: () => {
            ran.push('reconcile');
            die();
            return undefined;
          },
        }),
      ]),
      limits: { maxInterruptions: 3 },
    }));
    expect(ran).toEqual(['send', 'reconcile', 'reconcile']);
    expect(resultsOf(outcome?.conversation ?? [])[0]?.[1]).toMatch(/its result is not known/);
  });

  it('is counted while the lives of the run make no other progress only', async () => {
    const run = new MortalRun();
    // A process that is killed from outside, in another turn each time.
    const outcome = await run.liveUntilDone(12, ({ die, number }) => ({
      adapter: scriptedAdapter((_conversation, { turn }) =>
        turn <= 8 ? { toolCalls: [{ name: 'step', callId: `call-${turn}` }] } : { text: 'done' },
      ),
      prompt: promptWith([
        tool({
          name: 'step',
          description: 'Works.',
          effects: 'state',
          execute: (_params, { callId }) => {
            if (callId === `call-${number}`) die();
            return ToolResult.ok(null, 'ok');
          },
        }),
      ]),
      limits: { maxInterruptions: 2 },
    }));
    expect(resultsOf(outcome?.conversation ?? []).every(([, text]) => text === 'ok')).toBe(true);
  });
});

describe('a call inside another one that ends the process', () => {
  const leadOf = (inner: readonly AnyTool[], extra: object = {}) =>
    promptWith([
      agentTool({
        name: 'delegate',
        description: 'Delegates.',
        inputSchema: z.object({}),
        template: promptTemplate({
          ns: 'test',
          key: 'inner',
          sections: [section({ title: 'Inner', key: 'inner', template: 'Inside.', tools: inner })],
          ...extra,
        }),
      }),
    ]);
  const model = (...names: readonly string[]) =>
    scriptedAdapter((_conversation, { instructions, turn }) => {
      if (turn > 1) return { text: 'done' };
      return {
        toolCalls: (instructions.includes('Inside.') ? names : ['delegate']).map((name) => ({ name })),
      };
    });

  it('fails, and the call around it is committed', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const outcome = await run.liveUntilDone(9, ({ die }) => ({
      adapter: model('a', 'parse'),
      prompt: leadOf([toolOf('a', { ran }), toolOf('parse', { ran, die })]),
      limits: { maxInterruptions: 3 },
    }));
    expect(countOf(ran, 'parse')).toBe(3);
    const [result] = outcome?.conversation.filter(({ type }) => type === 'tool-result') ?? [];
    expect(result).toMatchObject({ toolName: 'delegate', isError: false });
    const attempts = await run.rows('attempt');
    expect(attempts.map(({ toolName }) => toolName)).toEqual(['parse']);
  });

  it('is not at fault when what is around it ends the process', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const outcome = await run.liveUntilDone(9, ({ die }) => ({
      adapter: scriptedAdapter((_conversation, { instructions, turn }) => {
        if (!instructions.includes('Inside.'))
          return turn === 1 ? { toolCalls: [{ name: 'delegate' }] } : { text: 'done' };
        if (turn === 1) return { toolCalls: [{ name: 'a' }] };
        die();
        return { text: 'inner' };
      }),
      prompt: leadOf([toolOf('a', { ran })]),
      limits: { maxInterruptions: 2 },
    }));
    const [result] = outcome?.conversation.filter(({ type }) => type === 'tool-result') ?? [];
    expect(result).toMatchObject({ toolName: 'delegate', isError: true });
    expect(resultsOf(outcome?.conversation ?? [])[0]?.[1]).toMatch(
      /"delegate" is not made again: .* 2 times/,
    );
    // Inside it was committed, and is not made again.
    expect(ran.length).toBeLessThanOrEqual(2);
  });

  it('is found among those of agents that run at the same time', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const agent = (name: string, inner: AnyTool): AnyTool =>
      agentTool({
        name,
        description: 'Delegates.',
        inputSchema: z.object({}),
        template: promptTemplate({
          ns: 'test',
          key: name,
          sections: [section({ title: 'I', key: 'i', template: `Inside ${name}.`, tools: [inner] })],
        }),
      });
    const outcome = await run.liveUntilDone(9, ({ die }) => ({
      adapter: scriptedAdapter((_conversation, { instructions, turn }) => {
        if (turn > 1) return { text: 'done' };
        const inner = ['x', 'y', 'z'].find((name) => instructions.includes(`Inside ${name}.`));
        return {
          toolCalls: (inner === undefined ? ['x', 'y', 'z'] : [`in-${inner}`]).map((name) => ({ name })),
        };
      }),
      prompt: promptWith([
        agent('x', toolOf('in-x', { ran })),
        agent('y', toolOf('in-y', { ran, die })),
        agent('z', toolOf('in-z', { ran })),
      ]),
      limits: { maxInterruptions: 3 },
    }));
    const results = outcome?.conversation.filter(({ type }) => type === 'tool-result') ?? [];
    expect(results).toHaveLength(3);
    expect(results).toEqual(results.map(() => expect.objectContaining({ isError: false })));
    expect(countOf(ran, 'in-y')).toBe(3);
    const attempts = await run.rows('attempt');
    expect(attempts.map(({ toolName }) => toolName)).toEqual(['in-y']);
  });
});

describe('a run whose process ends outside of calls', () => {
  const cases: Record<string, (life: Life, ran: string[]) => LifeOptions> = {
    'in the adapter': ({ die }) => ({
      adapter: scriptedAdapter((_conversation, { turn }) => {
        if (turn === 1) return { toolCalls: [{ name: 'a' }] };
        die();
        return { text: 'done' };
      }),
      prompt: promptWith([toolOf('a', { ran: [] })]),
    }),
    'in a renderer': ({ die, number }) => ({
      adapter:
        number === 1 ? scriptedAdapter(() => (die(), { text: 'x' })) : scriptedAdapter([{ text: 'x' }]),
      prompt: promptWith([], {
        sections: [
          section({
            title: 'T',
            key: 't',
            template: 'Work.',
            enabled: () => {
              if (number > 1) die();
              return true;
            },
          }),
        ],
      }),
    }),
    'in a policy': ({ die }, ran) => ({
      adapter: calling('a'),
      prompt: promptWith([toolOf('a', { ran })], {
        policies: [{ name: 'p', check: () => (die(), PolicyDecision.allow()) }],
      }),
    }),
    'in a completion check': ({ die }) => ({
      adapter: calling('a'),
      prompt: promptWith([toolOf('a', { ran: [] })]),
      completion: { name: 'c', check: () => (die(), { outcome: 'complete' }) } as never,
    }),
    'in feedback': ({ die }) => ({
      adapter: calling('a'),
      prompt: promptWith([toolOf('a', { ran: [] })]),
      feedback: [{ name: 'f', triggers: { everyCalls: 1 }, provide: () => (die(), undefined) }] as never,
    }),
  };
  for (const [name, make] of Object.entries(cases)) {
    it(`${name} is refused in the end, and continues with a larger limit`, async () => {
      const run = new MortalRun();
      const ran: string[] = [];
      const rejection = await run
        .liveUntilDone(30, (life) => make(life, ran))
        .then(
          (outcome) => ({ outcome }),
          (error: unknown) => ({ error }),
        );
      expect(rejection).toMatchObject({
        error: { name: 'RunRefusedError', code: 'run-interrupted-repeatedly' },
      });
      expect(run.lives).toBeLessThanOrEqual(9);
      const before = await run.journal.read('run');
      await expect(run.live((life) => make(life, ran))).rejects.toMatchObject({
        code: 'run-interrupted-repeatedly',
      });
      expect(await run.journal.read('run')).toEqual(before);
      const outcome = await run.live((life) => ({
        ...make({ ...life, die: () => undefined }, ran),
        limits: { maxInterruptions: 50 },
      }));
      expect(outcome.finishReason).not.toBe('suspended');
    });
  }
});

describe('a handler that waited for an approval', () => {
  const policies = [{ name: 'p', check: () => PolicyDecision.ask('Sure?') }];

  it('is counted, although the run had ended before', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const make = ({ die }: Life): LifeOptions => ({
      adapter: calling('parse'),
      prompt: promptWith([toolOf('parse', { ran, die })], { policies }),
      approve: suspendApproval(),
      limits: { maxInterruptions: 3 },
    });
    const suspended = await run.live(make);
    expect(suspended.finishReason).toBe('suspended');
    const [question] = (suspended as never as { pending: { id: string; digest: string }[] }).pending;
    const { id = '', digest = '' } = question ?? {};
    const outcome = await run.liveUntilDone(9, (life) => ({
      ...make(life),
      answers: [{ id, digest, approved: true }],
    }));
    expect(ran).toHaveLength(3);
    expect(resultsOf(outcome?.conversation ?? [])).toEqual([['parse', refusal('parse', '3 times')]]);
    expect(await run.interruptions()).toBe(3);
  });

  it('is not at fault for a function that gets the questions', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const make = ({ die }: Life): LifeOptions => ({
      adapter: calling('parse'),
      prompt: promptWith([toolOf('parse', { ran })], { policies }),
      approve: suspendApproval({ onPending: () => die() }),
      limits: { maxInterruptions: 2 },
    });
    // In memory the life continues after its death, so its outcome is no question of the run.
    for (let life = 1; life <= 3; life += 1) await run.live(make).catch(() => undefined);
    await expect(run.live(make)).rejects.toMatchObject({ code: 'run-interrupted-repeatedly' });
    // An answer is something new.
    const [row] = await run.rows('pending');
    const [{ id, digest }] = (row as never as { questions: [{ id: string; digest: string }] }).questions;
    const outcome = await run.live((life) => ({ ...make(life), answers: [{ id, digest, approved: true }] }));
    expect(outcome.text).toBe('done');
    expect(ran).toEqual(['parse']);
  });
});

describe('a life that is not counted', () => {
  it('was ended by its signal, and was refused', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    for (let life = 1; life <= 7; life += 1) {
      const stop = new AbortController();
      const aborted = run.live(() => ({
        adapter: calling('parse'),
        prompt: promptWith([toolOf('parse', { ran, die: () => stop.abort() })]),
        signal: stop.signal,
      }));
      await expect(aborted).rejects.toMatchObject({ code: 'evaluation-aborted' });
    }
    const refused = run.live(() => ({
      adapter: calling('parse'),
      prompt: promptWith([toolOf('other', { ran })]),
      strict: true,
    }));
    await expect(refused).rejects.toMatchObject({ code: 'prompt-invalid' });
    expect(await run.interruptions()).toBeUndefined();
    const outcome = await run.live(() => ({
      adapter: calling('parse'),
      prompt: promptWith([toolOf('parse', { ran })]),
    }));
    expect(resultsOf(outcome.conversation)).toEqual([['parse', 'parse is done.']]);
    expect(await run.interruptions()).toBeUndefined();
    // One that returns its answer again is no life.
    const rows = await run.journal.read('run');
    await run.live(() => ({ adapter: calling('parse'), prompt: promptWith([toolOf('parse', { ran })]) }));
    expect(await run.journal.read('run')).toEqual(rows);
  });

  it('is that of the run that a fork began with', async () => {
    const run = new MortalRun();
    const ran: string[] = [];
    const make = ({ die }: Life): LifeOptions => ({
      adapter: calling('parse'),
      prompt: promptWith([toolOf('parse', { ran, die })]),
    });
    for (let life = 1; life <= 4; life += 1) await run.live(make).catch(() => undefined);
    const { journal } = run;
    const fork = await forkRun({ journal, runId: 'run', at: 0 });
    const { adapter, prompt } = make({ number: 0, die: () => undefined });
    const outcome = await resumeRun({ journal, runId: fork.runId, adapter, prompt });
    expect(resultsOf(outcome.conversation)).toEqual([['parse', 'parse is done.']]);
    const [listed] = await journal.runs({ runId: fork.runId });
    expect(listed?.interruptions).toBeUndefined();
  });
});

describe('calls that ran when the process was killed from outside', () => {
  it('run one after the other in the next life, and all are committed', async () => {
    const run = new MortalRun();
    let running = 0;
    const most: number[] = [];
    const make = ({ die, number }: Life): LifeOptions => {
      let peak = 0;
      const slow = (name: string): AnyTool =>
        tool({
          name,
          description: 'Works.',
          effects: 'state',
          execute: async () => {
            running += 1;
            peak = Math.max(peak, running);
            most[number] = peak;
            await Promise.resolve();
            await Promise.resolve();
            if (number === 1) die();
            running -= 1;
            return ToolResult.ok(null, 'ok');
          },
        });
      return { adapter: calling('a', 'b', 'c'), prompt: promptWith([slow('a'), slow('b'), slow('c')]) };
    };
    const outcome = await run.liveUntilDone(5, make);
    expect(resultsOf(outcome?.conversation ?? []).map(([, text]) => text)).toEqual(['ok', 'ok', 'ok']);
    expect(most.slice(1)).toEqual([3, 1]);
    expect(run.lives).toBe(2);
  });
});
