import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type ApprovalRequest,
  type FeedbackProvider,
  type PolicyCall,
  PolicyDecision,
  type RunEvent,
  type RunObserver,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { only, runCalls } from '../../../../../support/run-calls.ts';

/** Writes to what it was given, as code without types can; what refuses the write is right. */
function meddle(target: unknown, ...path: readonly (string | number)[]): void {
  try {
    const last = path.at(-1) ?? '';
    const holder = path.slice(0, -1).reduce((each, key) => Reflect.get(Object(each), key), target);
    (holder as Record<string | number, unknown>)[last] = 'meddled';
  } catch {
    // It is read-only.
  }
}

class Money {
  #cents: number;
  currency = 'EUR';
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
  set cents(value: number) {
    this.#cents = value;
  }
}

const given = { amount: 3, to: { names: ['a'] }, at: '2026-01-01' };

/** A tool that says what it ran with, and then writes over it. */
function pay(ran: unknown[]): AnyTool {
  return tool({
    name: 'pay',
    description: 'Pays.',
    effects: 'state',
    inputSchema: z.object({
      amount: z.number().transform((cents) => new Money(cents)),
      to: z.object({ names: z.array(z.string()) }),
      at: z.string().transform((text) => new Date(text)),
    }),
    execute: async (params, { filesystem }) => {
      ran.push({ cents: params.amount.cents, names: [...params.to.names], at: params.at.toISOString() });
      params.amount.cents = -1;
      params.to.names.push('late');
      params.at.setTime(0);
      await filesystem.write('paid.txt', 'yes');
      return ToolResult.ok({ paid: [1] }, 'paid');
    },
  });
}

interface Seen {
  readonly phase: string;
  readonly cents: unknown;
  readonly names: unknown;
  readonly at: unknown;
}

/** What the params of a call are at this moment. */
function look(phase: string, { params }: PolicyCall): Seen {
  const { amount, at, to } = params as { amount: Money; at: Date; to: { names: string[] } };
  return { phase, cents: amount.cents, names: [...to.names], at: at.toISOString() };
}

const right = { cents: 3, names: ['a'], at: '2026-01-01T00:00:00.000Z' };

/** Writes to everything that it can reach, and notes what it found. */
function meddler(name: string, seen: Seen[]): ToolPolicy {
  const over = (phase: string, call: PolicyCall): void => {
    seen.push(look(phase, call));
    const { amount, at } = call.params as { amount: Money; at: Date };
    amount.cents = 999;
    at.setTime(1);
    meddle(call, 'params');
    meddle(call, 'callId');
    meddle(call, 'path', 0);
    for (const path of [['amount'], ['amount', 'currency'], ['to'], ['to', 'names', 0]]) {
      meddle(call.params, ...path);
    }
  };
  return {
    name,
    check: (call) => {
      over('check', call);
      return PolicyDecision.allow();
    },
    checkChanges: (call, changes, context) => {
      over('changes', call);
      meddle(changes, 0);
      meddle(changes, 0, 'path');
      meddle(context.readPaths, 0);
      meddle(context.innerChanges, 0);
      return PolicyDecision.allow();
    },
    onResult: (call, result, context) => {
      over('result', call);
      meddle(result, 'message');
      meddle(result, 'value', 'paid', 0);
      meddle(context.changes, 0, 'path');
    },
  };
}

describe('what is judged', () => {
  it('is what runs and what is recorded, whatever a policy writes to, instances included', async () => {
    const ran: unknown[] = [];
    const seen: Seen[] = [];
    const { invocations, texts } = await runCalls({
      tools: [pay(ran)],
      policies: [meddler('first', seen), meddler('second', seen)],
      calls: [{ name: 'pay', arguments: given }],
      files: {},
    });
    expect(ran).toEqual([right]);
    expect(seen).toEqual(
      ['check', 'check', 'changes', 'changes', 'result', 'result'].map((phase) => ({ phase, ...right })),
    );
    expect(only(invocations)).toMatchObject({
      params: given,
      value: { paid: [1] },
      changes: [{ path: 'paid.txt', kind: 'created' }],
    });
    expect(only(texts)).toContain('paid\n\n');
  });

  it('is the same where the arguments are plain, and cannot be changed', async () => {
    const calls: PolicyCall[] = [];
    let ran: unknown;
    const plain = tool({
      name: 'plain',
      description: 'Takes plain arguments.',
      inputSchema: z.object({ list: z.array(z.object({ n: z.number() })) }),
      execute: ({ list }) => {
        ran = list.map(({ n }) => n);
        for (const item of list) item.n = 0;
        return ToolResult.ok(null);
      },
    });
    const policy: ToolPolicy = {
      name: 'keeps',
      check: (call) => {
        calls.push(call);
        return PolicyDecision.allow();
      },
      onResult: (call) => {
        calls.push(call);
      },
    };
    await runCalls({
      tools: [plain],
      policies: [policy],
      calls: [{ name: 'plain', arguments: { list: [{ n: 1 }] } }],
    });
    expect(ran).toEqual([1]);
    expect(calls.map(({ params }) => params)).toEqual([{ list: [{ n: 1 }] }, { list: [{ n: 1 }] }]);
    const [first] = calls;
    expect(() => {
      (first?.params as { list: { n: number }[] } | undefined)?.list.push({ n: 2 });
    }).toThrow(TypeError);
  });

  it('is the same for each policy where it holds dates and maps, which cannot be frozen', async () => {
    const dated = tool({
      name: 'dated',
      description: 'Takes a day.',
      inputSchema: z.object({
        day: z.string().transform((text) => ({ at: new Date(text), by: new Map([['name', [text]]]) })),
      }),
      execute: ({ day }) => ToolResult.ok(null, `${day.at.toISOString()} ${day.by.get('name')?.join()}`),
    });
    const seen: string[] = [];
    const policy = (name: string): ToolPolicy => ({
      name,
      check: ({ params }) => {
        const { day } = params as { day: { at: Date; by: Map<string, string[]> } };
        seen.push(`${day.at.toISOString()} ${day.by.get('name')?.join()}`);
        day.at.setTime(0);
        day.by.clear();
        return PolicyDecision.allow();
      },
    });
    const { texts } = await runCalls({
      tools: [dated],
      policies: [policy('one'), policy('two')],
      calls: [{ name: 'dated', arguments: { day: '2026-01-01' } }],
    });
    const day = '2026-01-01T00:00:00.000Z 2026-01-01';
    expect(seen).toEqual([day, day]);
    expect(only(texts)).toBe(day);
  });

  it('comes with evidence that no policy can change for the next one', async () => {
    const copy = tool({
      name: 'copy',
      description: 'Copies a file.',
      effects: 'state',
      execute: async (_params, { filesystem }) => {
        await filesystem.write('b.txt', (await filesystem.read('a.txt')).text);
        return ToolResult.ok(null);
      },
    });
    const seen: unknown[] = [];
    const policy = (name: string): ToolPolicy => ({
      name,
      checkChanges: (_call, changes, { readPaths }) => {
        seen.push(
          [...readPaths],
          changes.map(({ path }) => path),
        );
        meddle(readPaths, 0);
        meddle(changes, 0);
        return PolicyDecision.allow();
      },
      onResult: (_call, _result, { readPaths, changes }) => {
        seen.push(
          [...readPaths],
          changes.map(({ path }) => path),
        );
        meddle(readPaths, 0);
        meddle(changes, 0);
      },
    });
    await runCalls({
      tools: [copy],
      policies: [policy('one'), policy('two')],
      calls: [{ name: 'copy' }],
      files: { 'a.txt': 'a' },
    });
    expect(seen).toEqual(Array.from({ length: 4 }, () => [['a.txt'], ['b.txt']]).flat());
  });

  it('is refused when the schema does not accept the arguments a second time', async () => {
    let times = 0;
    const fickle = tool({
      name: 'fickle',
      description: 'Has a schema that changes its mind.',
      inputSchema: z.object({
        n: z
          .number()
          .refine(() => (times += 1) === 1)
          .transform((n) => new Money(n)),
      }),
      execute: () => ToolResult.ok(null),
    });
    const { texts } = await runCalls({
      tools: [fickle],
      policies: [{ name: 'asks', check: () => PolicyDecision.allow() }],
      calls: [{ name: 'fickle', arguments: { n: 1 } }],
    });
    expect(only(texts)).toContain('denied by the policy "asks": its check failed');
    expect(only(texts)).toContain('do not fit it again');
  });

  it('is what a person is asked about, and an approver cannot change what is asked next', async () => {
    const ran: unknown[] = [];
    const asked: unknown[] = [];
    const frozen: boolean[] = [];
    const ask = (name: string): ToolPolicy => ({
      name,
      check: () => PolicyDecision.ask('Sure?'),
      checkChanges: () => PolicyDecision.ask('Keep?'),
    });
    const { invocations } = await runCalls({
      tools: [pay(ran)],
      policies: [ask('one'), ask('two')],
      calls: [{ name: 'pay', arguments: given }],
      files: {},
      approve: (request: ApprovalRequest) => {
        frozen.push([request, request.params, request.changes].every(Object.isFrozen));
        asked.push([request.params, request.changes?.map(({ path }) => path), request.toolName]);
        for (const path of [['params'], ['params', 'amount'], ['params', 'to', 'names', 0], ['toolName']]) {
          meddle(request, ...path);
        }
        meddle(request, 'changes', 0, 'path');
        meddle(request, 'changes', 0);
        return true;
      },
    });
    const question = [given, undefined, 'pay'];
    const changes = [given, ['paid.txt'], 'pay'];
    expect(asked).toEqual([question, question, changes, changes]);
    expect(frozen).toEqual([true, true, true, true]);
    expect(ran).toEqual([right]);
    expect(only(invocations)).toMatchObject({
      params: given,
      changes: [{ path: 'paid.txt', kind: 'created' }],
    });
  });

  it('is what observers get, each of them the same', async () => {
    const events: RunEvent[] = [];
    const commits: unknown[] = [];
    const paths = [
      ['params'],
      ['params', 'amount'],
      ['toolName'],
      ['invocation', 'message'],
      ['invocation', 'changes', 0, 'path'],
      ['writes', 0],
      ['usage', 'inputTokens'],
    ];
    const change = (report: unknown): void => {
      for (const path of paths) meddle(report, ...path);
    };
    const first: RunObserver = { onEvent: change, onCommit: change, onRequest: change, onResponse: change };
    const second: RunObserver = {
      onEvent: (event) => events.push(event),
      onCommit: ({ invocation, params, toolName }) =>
        commits.push([toolName, params, invocation.message, invocation.changes]),
    };
    const { invocations } = await runCalls({
      tools: [pay([])],
      calls: [{ name: 'pay', arguments: given }],
      files: {},
      observers: [first, second],
    });
    expect(commits).toEqual([['pay', given, 'paid', [{ path: 'paid.txt', kind: 'created' }]]]);
    expect(events.find(({ type }) => type === 'tool-call-start')).toMatchObject({
      toolName: 'pay',
      params: given,
    });
    expect(only(invocations)).toMatchObject({ message: 'paid', params: given });
  });

  it('is what a feedback provider gets, and the record does not change with it', async () => {
    const provider: FeedbackProvider = {
      name: 'meddler',
      triggers: { everyCalls: 1 },
      provide: ({ calls }) => {
        const last = [...calls].at(-1);
        for (const path of [['message'], ['params', 'amount'], ['changes', 0, 'path']]) meddle(last, ...path);
        return undefined;
      },
    };
    const { invocations } = await runCalls({
      tools: [pay([])],
      calls: [{ name: 'pay', arguments: given }],
      files: {},
      feedback: [provider],
    });
    expect(only(invocations)).toMatchObject({
      message: 'paid',
      params: given,
      changes: [{ path: 'paid.txt', kind: 'created' }],
    });
  });
});

describe('what a handler returns', () => {
  it('is read once: a message that is a getter is the one that everybody gets', async () => {
    let reads = 0;
    const fickle = tool({
      name: 'fickle',
      description: 'Returns another message each time.',
      execute: () => ({
        success: true,
        value: null,
        get message() {
          reads += 1;
          return `read ${reads}`;
        },
      }),
    });
    const { invocations, texts } = await runCalls({ tools: [fickle], calls: [{ name: 'fickle' }] });
    expect([only(invocations).message, only(texts)]).toEqual(['read 1', 'read 1']);
  });

  it('is refused when its value holds a getter', async () => {
    const fickle = tool({
      name: 'fickle',
      description: 'Returns another value each time.',
      execute: () =>
        ToolResult.ok({
          get at() {
            return Math.random();
          },
        }),
    });
    const { texts } = await runCalls({ tools: [fickle], calls: [{ name: 'fickle' }] });
    expect(only(texts)).toContain(
      'the value of "fickle" at at is a getter, which may give another value each time',
    );
  });
});
