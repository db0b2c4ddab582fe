import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type AnyResourceBinding,
  type AnyTool,
  binding,
  type Prompt,
  promptTemplate,
  resourceToken,
  section,
  snapshotProtocol,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { gate } from '../../../support/gate.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

interface Ledger {
  readonly lines: string[];
}
const Ledger = resourceToken<Ledger>('ledger');

/** A ledger that is put back when a call fails, and what was done with it, in order. */
function openLedger() {
  const lines: string[] = [];
  const log: string[] = [];
  const bound = binding(Ledger, {
    instance: { lines },
    transactional: snapshotProtocol<Ledger, readonly string[]>({
      snapshot: () => [...lines],
      restore: async (_ledger, before) => {
        // As slow as a database.
        await nextTurn();
        log.push(`restore ${before.join()}`);
        lines.splice(0, lines.length, ...before);
      },
    }),
  });
  return { bound, lines, log };
}

interface Doing {
  readonly effects?: 'read' | 'state';
  readonly timeoutMs?: number;
}

function doing(name: string, work: (context: ToolContext) => unknown, options: Doing = {}): AnyTool {
  return tool({
    name,
    description: 'Works.',
    effects: 'state',
    ...options,
    execute: async (_params, context) => {
      await work(context);
      return ToolResult.ok(null);
    },
  });
}

const write = async ({ resources }: ToolContext, line: string): Promise<void> => {
  (await resources.get(Ledger)).lines.push(line);
};

function promptOf(
  key: string,
  resources: readonly AnyResourceBinding[],
  tools: readonly AnyTool[],
): Prompt<undefined> {
  const task = section({ title: 'Task', key: 'task', template: `Do ${key}.`, tools });
  return promptTemplate({ ns: 'test', key, resources, sections: [task] }).bind();
}

/** A model that calls these tools one after the other, by the key of the prompt. */
function calling(tools: Readonly<Record<string, readonly string[]>>) {
  const asked = new Set<string>();
  return scriptedAdapter((_conversation, { instructions }) => {
    const [, key = ''] = /Do (\w+)\./.exec(instructions) ?? [];
    const name = tools[key]?.find((each) => !asked.has(each));
    if (name === undefined) return { text: 'done' };
    asked.add(name);
    return { toolCalls: [{ name }] };
  });
}

describe('a resource of a call with an evaluation inside', () => {
  it('is refused to the handler while a call inside has it, so that nothing is rolled back unseen', async () => {
    const { bound, lines } = openLedger();
    const inside = gate();
    const failing = doing('failing', async (context) => {
      await write(context, 'inner');
      await inside.pass();
      throw new Error('no');
    });
    const refusals: unknown[] = [];
    const lead = doing('lead', async (context) => {
      await write(context, 'before');
      const ledger = await context.resources.get(Ledger);
      const evaluation = context.adapter.evaluate(promptOf('inner', [bound], [failing]));
      await inside.reached;
      const uses = [() => ledger.lines.push('meanwhile'), () => context.resources.get(Ledger)];
      for (const use of uses) {
        try {
          const found = await use();
          // A look-up gives the same view.
          if (typeof found === 'object') found.lines.push('meanwhile');
        } catch (error) {
          refusals.push(error);
        }
      }
      inside.open();
      await evaluation;
      await write(context, 'after');
    });
    await calling({ outer: ['lead'], inner: ['failing'] }).evaluate(promptOf('outer', [bound], [lead]));
    expect(refusals).toMatchObject([
      { code: 'resource-busy', details: { token: 'ledger' } },
      { code: 'resource-busy', details: { token: 'ledger' } },
    ]);
    expect(String(refusals[0])).toMatch(/Await the evaluation first/);
    expect(lines).toEqual(['before', 'after']);
  });

  it('fails the call whose handler does not catch that', async () => {
    const { bound, lines } = openLedger();
    const inside = gate();
    const slow = doing('slow', async (context) => {
      await write(context, 'inner');
      await inside.pass();
    });
    const lead = doing('lead', async (context) => {
      const evaluation = context.adapter.evaluate(promptOf('inner', [bound], [slow]));
      await inside.reached;
      try {
        await write(context, 'meanwhile');
      } finally {
        inside.open();
        await evaluation;
      }
    });
    const { conversation } = await calling({ outer: ['lead'], inner: ['slow'] }).evaluate(
      promptOf('outer', [bound], [lead]),
    );
    expect(JSON.stringify(conversation)).toContain('\\"ledger\\" cannot be used here while');
    expect(lines).toEqual([]);
  });

  it('can be read meanwhile by other evaluations inside, and by a handler that cannot write', async () => {
    const { bound, lines } = openLedger();
    const inside = gate();
    const slow = doing(
      'slow',
      async (context) => {
        await write(context, 'inner');
        await inside.pass();
      },
      { effects: 'read' },
    );
    const lead = doing(
      'lead',
      async (context) => {
        const evaluation = context.adapter.evaluate(promptOf('inner', [bound], [slow]));
        await inside.reached;
        expect((await context.resources.get(Ledger)).lines).toEqual(['inner']);
        inside.open();
        await evaluation;
      },
      { effects: 'read' },
    );
    const { conversation } = await calling({ outer: ['lead'], inner: ['slow'] }).evaluate(
      promptOf('outer', [bound], [lead]),
    );
    expect(JSON.stringify(conversation)).not.toContain('cannot be used here');
    expect(lines).toEqual([]);
  });

  it('is put back from the inside out when the call around is out of time', async () => {
    const { bound, lines, log } = openLedger();
    const clock = createManualClock();
    const inside = gate();
    const stuck = doing('stuck', async (context) => {
      await write(context, 'inner');
      await inside.pass();
    });
    const lead = doing(
      'lead',
      async (context) => {
        await write(context, 'outer');
        await context.adapter.evaluate(promptOf('inner', [bound], [stuck]));
      },
      { timeoutMs: 1_000 },
    );
    const next = doing('next', (context) => write(context, 'next'));
    const run = calling({ outer: ['lead', 'next'], inner: ['stuck'] }).evaluate(
      promptOf('outer', [bound], [lead, next]),
      { clock },
    );
    await inside.reached;
    clock.advance(1_000);
    await run;
    expect(log).toEqual(['restore outer', 'restore ']);
    expect(lines).toEqual(['next']);
  });

  it('keeps what the handler wrote, and nothing of an evaluation that it does not await', async () => {
    const { bound, lines, log } = openLedger();
    const inside = gate();
    const stuck = doing('stuck', async (context) => {
      await write(context, 'inner');
      await inside.pass();
      await write(context, 'late');
    });
    const lead = doing('lead', async (context) => {
      await write(context, 'outer');
      void context.adapter.evaluate(promptOf('inner', [bound], [stuck])).catch(() => undefined);
      await inside.reached;
    });
    const next = doing('next', async (context) => {
      await write(context, 'next');
      inside.open();
      await nextTurn();
    });
    await calling({ outer: ['lead', 'next'], inner: ['stuck'] }).evaluate(
      promptOf('outer', [bound], [lead, next]),
    );
    expect(lines).toEqual(['outer', 'next']);
    expect(log).toEqual(['restore outer']);
  });
});
