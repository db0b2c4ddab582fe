import { describe, expect, it } from 'vitest';
import {
  type AnyResourceBinding,
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  readBeforeWritePolicy,
  reducers,
  resourceToken,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ReplayOptions, type ReplayReport, replayRun } from 'weakincentives/record';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { agentTool, vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';
import { recordOf } from '../../../support/replays.ts';

const Payments = defineSlice({ name: 'payments', schema: z.object({ amount: z.number() }) });
const Totals = defineSlice({ name: 'totals', schema: z.object({ amount: z.number() }) });
const Ledger = resourceToken<{ readonly limit: number }>('ledger');

interface Variant {
  readonly policies?: readonly ToolPolicy[];
  readonly files?: Readonly<Record<string, string>>;
  readonly slices?: readonly (typeof Payments)[];
  readonly maxAmount?: number;
  /** Default: one whose limit is 100. */
  readonly ledger?: AnyResourceBinding;
}

const amountSchema = (max = Infinity) => z.object({ amount: z.number().max(max) });
/** What was paid with the last tool, for policies with a reducer. */
const payWith = (max?: number) =>
  tool({
    name: 'pay',
    description: 'Pay.',
    inputSchema: amountSchema(max),
    outputSchema: z.object({ paid: z.number() }),
    execute: ({ amount: paid }, { session }) => {
      session.slice(Payments).append({ amount: paid });
      return ToolResult.ok({ paid }, 'Paid.');
    },
  });
const pay = payWith();
const payAndNote = tool({
  name: 'pay_and_note',
  description: 'Pay, and write it down.',
  inputSchema: amountSchema(),
  outputSchema: z.object({ paid: z.number() }),
  execute: async ({ amount: paid }, { filesystem }) => {
    await filesystem.write('paid.txt', `${paid}`);
    return ToolResult.ok({ paid }, 'Paid.');
  },
});
const Counted = defineEvent({ name: 'counted', schema: z.object({}) });
const Counts = defineSlice({
  name: 'counts',
  schema: z.object({}),
  reducers: (on) => [on(Counted, reducers.append())],
});
/** Written by a reducer alone. */
const Paid = defineSlice({
  name: 'paid',
  schema: z.object({ amount: z.number() }),
  reducers: (on) => [
    on(
      pay.succeeded,
      reducers.append(({ value }) => ({ amount: value.paid })),
    ),
    on(
      payAndNote.succeeded,
      reducers.append(({ value }) => ({ amount: value.paid })),
    ),
  ],
});

/** Payments are made outside, `plan` and the file tools are pure, and `clerk` pays inside an evaluation. */
function promptOf({
  policies = [],
  files = { 'a.md': 'a\n' },
  slices = [Payments],
  maxAmount,
  ledger = binding(Ledger, { instance: { limit: 100 } }),
}: Variant = {}): Prompt {
  const paying = maxAmount === undefined ? pay : payWith(maxAmount);
  const amount = amountSchema(maxAmount);
  const plan = tool({
    name: 'plan',
    description: 'Plan.',
    inputSchema: amount,
    effects: 'state',
    pure: true,
    execute: ({ amount: planned }) => ToolResult.ok(planned, 'Planned.'),
  });
  const desk = promptTemplate({
    ns: 'test',
    key: 'desk',
    sections: [
      section({ title: 'Desk', key: 'desk', template: 'Pay.', tools: [paying], slices: [Payments] }),
      vfsToolsSection({ key: 'files', policies: [] }),
    ],
  });
  const clerk = agentTool({
    name: 'clerk',
    description: 'Has a clerk pay.',
    inputSchema: z.object({}),
    template: desk,
    input: () => 'inner',
  });
  return promptTemplate({
    ns: 'test',
    key: 'policies',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Go.',
        tools: [paying, payAndNote, plan, clerk],
        slices,
      }),
      vfsToolsSection({ key: 'files', policies: [] }),
    ],
    policies,
  }).bind(
    {},
    { resources: [binding(Filesystem, { create: () => new MemoryFilesystem({ files }) }), ledger] },
  );
}

function adapterFor(turns: readonly ScriptedTurn[], inner: readonly ScriptedTurn[] = []) {
  return scriptedAdapter((conversation, { turn }) => {
    const [first] = conversation;
    const isInner = first?.type === 'user' && JSON.stringify(first.content).includes('inner');
    return (isInner ? inner : turns)[turn - 1] ?? { text: 'Done.' };
  });
}

const call = (name: string, args: object = {}) => ({ name, arguments: args });
const read = call('read_file', { file_path: 'a.md' });
const write = call('write_file', { file_path: 'a.md', content: 'b\n' });

/** Records a run of a prompt, and replays it with another one. */
async function replayOf(
  turns: readonly ScriptedTurn[],
  before: Variant,
  now: Variant,
  options: Partial<ReplayOptions> & { readonly inner?: readonly ScriptedTurn[] } = {},
): Promise<ReplayReport> {
  const { inner, ...others } = options;
  const record = await recordOf(adapterFor(turns, inner), promptOf(before), { input: 'Go.' });
  return replayRun({ record, prompt: promptOf(now), ...others });
}

const statuses = ({ calls }: ReplayReport) => calls.map(({ id, status, source }) => [id, status, source]);

/** Adds up what was paid in a slice of its own, that it appends to. */
const total: ToolPolicy = {
  name: 'total',
  slices: [Totals],
  onResult: ({ tool: { name } }, _result, { session }) => {
    if (name === 'pay') session.slice(Totals).append({ amount: 1 });
  },
};
const deny = (name: string, reason = 'Never.'): ToolPolicy => ({
  name: `no-${name}`,
  check: ({ tool: { name: asked } }) =>
    asked === name ? PolicyDecision.deny(reason) : PolicyDecision.allow(),
});

describe('what policies remember', () => {
  const turns = [{ toolCalls: [read] }, { toolCalls: [write, call('pay', { amount: 3 })] }];

  it.each([
    { what: 'of the library is new', before: [], now: [readBeforeWritePolicy()] },
    { what: 'of the library is gone', before: [readBeforeWritePolicy()], now: [] },
    { what: 'with a slice is new', before: [], now: [total] },
    { what: 'with a slice is gone', before: [total], now: [] },
    { what: 'with a slice is the same', before: [total], now: [total] },
  ])('changes no call: a policy $what', async ({ before, now }) => {
    for (const tools of [undefined, 'recorded'] as const) {
      const report = await replayOf(
        turns,
        { policies: before },
        { policies: now },
        tools === undefined ? {} : { tools },
      );
      expect(report.firstDifference).toBeUndefined();
      expect(report.isSame).toBe(true);
    }
  });
});

/** A policy whose slice is written by a reducer: at most so much in all. */
function atMost(amount: number): ToolPolicy {
  return {
    name: 'at-most',
    slices: [Paid],
    check: ({ tool: { name }, params }, { session }) => {
      if (name !== 'pay' && name !== 'pay_and_note') return PolicyDecision.allow();
      const before = session
        .slice(Paid)
        .all()
        .reduce((sum, item) => sum + item.amount, 0);
      const { amount: wanted } = params as { readonly amount: number };
      return before + wanted > amount ? PolicyDecision.deny('It is too much.') : PolicyDecision.allow();
    },
  };
}

const only = ({ calls }: ReplayReport, id: string) => calls.find((each) => each.id === id);
const pays = (...amounts: readonly number[]): readonly ScriptedTurn[] =>
  amounts.map((amount) => ({ toolCalls: [call('pay', { amount })] }));

describe('a policy whose slice is written by a reducer', () => {
  it('judges by what was paid, whether the record has its state or not', async () => {
    for (const before of [[], [atMost(100)]]) {
      const same = await replayOf(pays(40, 40), { policies: before }, { policies: [atMost(100)] });
      expect(same.firstDifference).toBeUndefined();
      expect(same.isSame).toBe(true);
      const report = await replayOf(pays(40, 40), { policies: before }, { policies: [atMost(50)] });
      expect(statuses(report)).toEqual([
        ['call-1-1', 'same', 'recorded'],
        ['call-2-1', 'changed', 'none'],
      ]);
      expect(report.firstDifference?.text).toContain('denied (denied by at-most) now');
    }
  });

  it('is asked about what its reducer made of a call whose changes were denied', async () => {
    const forbids: ToolPolicy = {
      name: 'forbids',
      onResult: () => {
        throw new Error('It is forbidden.');
      },
    };
    const before = { policies: [forbids, atMost(100)] };
    const report = await replayOf(pays(40, 20), before, { policies: [atMost(50)] }, { onDrift: 'force' });
    expect(report.calls.map(({ differences }) => differences[0]?.text)).toEqual([
      'It was rolled-back (policy-failed by forbids). Its changes are allowed now, and what it returned is not in the record.',
      'It was rolled-back (policy-failed by forbids), and is denied (denied by at-most) now.',
    ]);
  });
});

describe('a policy that dispatches an event of its own', () => {
  const counts: ToolPolicy = {
    name: 'counts',
    slices: [Counts],
    check: (_call, { session }) =>
      session.slice(Counts).length > 1 ? PolicyDecision.deny('It is enough.') : PolicyDecision.allow(),
    onResult: (_call, _result, { session }) => session.dispatch(Counted, {}),
  };

  it('counts each call once', async () => {
    const report = await replayOf(pays(1, 2, 3), { policies: [counts] }, { policies: [counts] });
    expect(report.record.calls.map(({ outcome }) => outcome)).toEqual(['committed', 'committed', 'denied']);
    expect(report.isSame).toBe(true);
  });
});

describe('a call whose changes were denied', () => {
  const turns = [{ toolCalls: [call('pay_and_note', { amount: 40 })] }];
  const forbids = (reason: string): ToolPolicy => ({
    name: 'forbids',
    checkChanges: (_call, [change]) => PolicyDecision.deny(`${reason} ${change?.path}`),
  });

  it('is judged by what it changed', async () => {
    const before = { policies: [forbids('Not')] };
    const same = await replayOf(turns, before, before);
    expect(same.isSame).toBe(true);
    const other = await replayOf(turns, before, { policies: [forbids('Never')] }, { onDrift: 'force' });
    expect(only(other, 'call-1-1')?.status).toBe('changed');
  });

  it('has no made-up result when they are allowed', async () => {
    const report = await replayOf(
      turns,
      { policies: [forbids('Not')] },
      { policies: [atMost(50)] },
      { onDrift: 'force' },
    );
    expect(only(report, 'call-1-1')).toMatchObject({
      status: 'unrecorded',
      source: 'recorded',
      differences: [
        {
          part: 'outcome',
          text: 'It was denied (denied by forbids). Its changes are allowed now, and what it returned is not in the record.',
        },
      ],
    });
    expect(report.record.calls[0]?.modelText).toBe(
      'The record has what this call changed, and not what it returned.',
    );
  });
});

describe('a slice that no prompt has any more', () => {
  it('is left out, and noted', async () => {
    const report = await replayOf(pays(3), {}, { slices: [] });
    expect(report.isSame).toBe(true);
    expect(report.notes).toEqual([
      'What calls wrote to the slice "payments" is left out: no section of the prompt has such a slice.',
    ]);
  });
});

describe('a call whose handler did not run in the record', () => {
  const what = 'What its handler would do now is not in the record.';
  const later = 'would do now is not known, and what comes after it may be different.';

  it.each([
    {
      what: 'that was denied',
      before: { policies: [deny('pay')] },
      text: `It was denied (denied by no-pay). ${what}`,
    },
    {
      what: 'that was not approved',
      before: { policies: [{ name: 'asks', check: () => PolicyDecision.ask('May it?') }] },
      text: `It was denied (not-approved by asks). ${what}`,
    },
    {
      what: 'whose policy failed',
      before: {
        policies: [
          {
            name: 'broken',
            check: () => {
              throw new Error('It is broken.');
            },
          },
        ],
      },
      text: `It was denied (denied by broken). ${what}`,
    },
    {
      what: 'whose arguments did not fit',
      before: { maxAmount: 2 },
      text: `It was rejected (invalid-arguments). ${what}`,
    },
  ])('$what is not made up', async ({ before, text }) => {
    const report = await replayOf(pays(3), before, {}, { onDrift: 'force' });
    expect(only(report, 'call-1-1')).toMatchObject({
      status: 'unrecorded',
      source: 'none',
      differences: [{ part: 'outcome', text }],
    });
    expect(report.isSame).toBe(false);
    expect(report.notes).toContain(`What the call call-1-1 of "pay" ${later}`);
    const [made] = report.record.calls;
    expect(made?.outcome).toBe('rolled-back');
    expect(made?.modelText).toMatch(
      /^The call of "pay" was \w+ before its handler ran: what it would do is not in the record\./,
    );
    expect(made?.value).toBeUndefined();
  });

  it('is judged anew when another policy denies it', async () => {
    const report = await replayOf(pays(3), { policies: [deny('pay')] }, { policies: [deny('pay', 'No.')] });
    expect(only(report, 'call-1-1')?.status).toBe('changed');
  });

  it('runs when it is pure, on files that the record has', async () => {
    const turns = [
      { toolCalls: [call('plan', { amount: 1 }), read, call('read_file', { file_path: 'b.md' })] },
    ];
    const before = { policies: [deny('plan'), deny('read_file')], files: { 'a.md': 'a\n', 'b.md': 'b\n' } };
    const report = await replayOf(turns, before, {}, { onDrift: 'force' });
    expect(statuses(report)).toEqual([
      ['call-1-1', 'changed', 'live'],
      ['call-1-2', 'unrecorded', 'live'],
      ['call-1-3', 'unrecorded', 'live'],
    ]);
    expect(only(report, 'call-1-2')?.differences[0]?.text).toBe(
      'It was denied (denied by no-read_file). Its handler runs now, on files that are not in the record.',
    );
    // What another call has read is known.
    const known = await replayOf(
      [
        { toolCalls: [read] },
        { toolCalls: [call('list_files', {}), call('write_file', { file_path: 'a.md', content: 'c' })] },
      ],
      { policies: [deny('write_file')] },
      {},
      { onDrift: 'force' },
    );
    expect(only(known, 'call-2-2')?.status).toBe('changed');
  });
});

describe('what is inside a call', () => {
  const inner = pays(40);
  const turns = [{ toolCalls: [call('clerk')] }];

  it('is made again, so that policies judge it', async () => {
    const same = await replayOf(turns, {}, { policies: [deny('nothing')] }, { inner });
    expect(statuses(same)).toEqual([
      ['call-1-1', 'same', 'live'],
      ['call-1-1/call-1-1', 'same', 'recorded'],
    ]);
    expect(same.isSame).toBe(true);
    const denied = await replayOf(turns, {}, { policies: [deny('pay')] }, { inner });
    expect(only(denied, 'call-1-1/call-1-1')?.status).toBe('changed');
    expect(denied.firstDifference?.text).toContain('denied by no-pay');
  });

  it('is made again also where it lists a folder, which the record answers for', async () => {
    const listing = [{ toolCalls: [call('ls', { path: '.' }), call('pay', { amount: 40 })] }];
    const report = await replayOf(turns, {}, {}, { inner: listing });
    expect(statuses(report)).toEqual([
      ['call-1-1', 'same', 'live'],
      ['call-1-1/call-1-1', 'same', 'recorded'],
      ['call-1-1/call-1-2', 'same', 'recorded'],
    ]);
  });

  it('is not called the same where the record answers for the call around it', async () => {
    const options = { inner, tools: 'recorded' } as const;
    const report = await replayOf(turns, {}, { policies: [deny('pay')] }, options);
    expect(statuses(report)).toEqual([
      ['call-1-1', 'same', 'recorded'],
      ['call-1-1/call-1-1', 'unchecked', 'outer'],
    ]);
    expect(report).toMatchObject({ isSame: false, ending: 'complete' });
    expect(report.notes).toEqual([
      `No policy was asked about the calls inside "clerk", since the record answered for it: tools: { "clerk": 'live' } makes them again.`,
    ]);
  });

  it('is not made again for a call that was denied', async () => {
    const report = await replayOf(turns, { policies: [deny('clerk')] }, {}, { inner, onDrift: 'force' });
    expect(report).toMatchObject({ ending: 'complete' });
    expect(only(report, 'call-1-1')).toMatchObject({ status: 'unrecorded', source: 'none' });
  });
});

describe('resources other than files', () => {
  let asked = 0;
  const ledger = binding(Ledger, {
    eager: true,
    create: () => {
      asked += 1;
      return { limit: 30 };
    },
  });
  const limit: ToolPolicy = {
    name: 'limit',
    check: async ({ params }, { resources }) => {
      const { limit: most } = await resources.get(Ledger);
      const { amount } = params as { readonly amount: number };
      return amount > most ? PolicyDecision.deny('It is too much.') : PolicyDecision.allow();
    },
  };

  it('are refused to policies, and not created', async () => {
    asked = 0;
    const report = await replayOf(pays(40), {}, { policies: [limit], ledger }, { onDrift: 'force' });
    expect(asked).toBe(0);
    expect(only(report, 'call-1-1')).toMatchObject({
      status: 'unrecorded',
      differences: [
        {
          part: 'outcome',
          text: `It was committed. The resource "ledger" is not part of the replay: resources: 'live' gives it to calls.`,
        },
      ],
    });
    expect(report.notes).toContain(
      `The resource "ledger" was asked for and is not part of the replay: resources: 'live' gives it.`,
    );
  });

  it('are those of the present when they are asked for', async () => {
    asked = 0;
    const options = { resources: 'live', onDrift: 'force' } as const;
    const report = await replayOf(pays(40), {}, { policies: [limit], ledger }, options);
    expect(asked).toBe(1);
    expect(only(report, 'call-1-1')?.differences[0]?.text).toBe(
      'It was committed, and is denied (denied by limit) now.',
    );
  });

  it('are refused with files of its own to an evaluation inside a call', async () => {
    let opened = 0;
    const open = (): MemoryFilesystem => {
      opened += 1;
      return new MemoryFilesystem({ files: { 'a.md': 'a\n' } });
    };
    const reader = promptTemplate({
      ns: 'test',
      key: 'reader',
      sections: [vfsToolsSection({ policies: [] })],
    });
    const readElsewhere = tool({
      name: 'read_elsewhere',
      description: 'Reads in another file system.',
      reenters: true,
      execute: async (_params, { adapter }) => {
        const resources = [binding(Filesystem, { create: open })];
        const { text } = await adapter.evaluate(reader.bind({}, { resources }), { input: 'inner' });
        return ToolResult.ok(null, text ?? '');
      },
    });
    const task = section({ title: 'Task', key: 'task', template: 'Go.', tools: [readElsewhere] });
    const prompt = promptTemplate({ ns: 'test', key: 'elsewhere', sections: [task] }).bind();
    const adapter = adapterFor([{ toolCalls: [call('read_elsewhere')] }], [{ toolCalls: [read] }]);
    const record = await recordOf(adapter, prompt, { input: 'Go.' });
    expect(record.calls.map(({ outcome }) => outcome)).toEqual(['committed', 'committed']);
    expect(opened).toBe(1);
    const report = await replayRun({ record, prompt, onDrift: 'force' });
    expect(opened).toBe(1);
    expect(report.isSame).toBe(false);
    expect(report.record.calls[0]?.modelText).toContain(
      'binds a file system of its own, which is not part of the replay',
    );
    expect((await replayRun({ record, prompt, resources: 'live' })).isSame).toBe(true);
  });

  it('refuses another value of the option', async () => {
    // Callers without types may pass anything.
    const options = { resources: 'both' } as never;
    await expect(replayOf(pays(1), {}, {}, options)).rejects.toThrow(/resources/);
  });
});
