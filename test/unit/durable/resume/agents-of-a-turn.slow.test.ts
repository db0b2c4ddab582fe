import { expect, it } from 'vitest';
import {
  answerApprovals,
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  type JournalBatch,
  MemoryFilesystem,
  type PendingApproval,
  PolicyDecision,
  type Prompt,
  pendingApprovals,
  promptTemplate,
  reducers,
  resumeRun,
  Session,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { journalAfter, type WatchedJournal, watchedJournal } from '../../../support/journals.ts';

const who = z.object({ who: z.string() });
const Set = defineEvent({ name: 'total-set', schema: z.object({ total: z.number(), by: z.string() }) });
const Totals = defineSlice({
  name: 'totals',
  schema: z.object({ total: z.number(), by: z.string() }),
  reducers: (on) => [on(Set, reducers.append())],
});

interface Case {
  /** Agents of the turn; those whose names begin with q ask before they act. */
  readonly names: readonly string[];
  /** Whether an agent asks another one to act. */
  readonly isDeep: boolean;
  /** Where the total is that they read and add one to. */
  readonly where: 'session' | 'files';
}

/** A lead whose agents add one to a total, twice. */
function leadPrompt({ isDeep, where }: Case, files: MemoryFilesystem): Prompt {
  const add = tool({
    name: 'add',
    description: 'Adds one.',
    effects: 'state',
    inputSchema: who,
    execute: async (params, { filesystem, session }) => {
      const before =
        where === 'session'
          ? session.slice(Totals).all().at(-1)?.total
          : Number((await filesystem.read('total.txt')).text);
      const total = (before ?? 0) + 1;
      if (where === 'files') await filesystem.write('total.txt', String(total));
      session.dispatch(Set, { total, by: params.who });
      return ToolResult.ok(null, `It is ${total}.`);
    },
  });
  const adder = promptTemplate({
    ns: 'test',
    key: 'adder',
    output: who,
    policies: [
      {
        name: 'asks',
        check: ({ params }) =>
          who.parse(params).who.startsWith('q') ? PolicyDecision.ask('Really?') : PolicyDecision.allow(),
      },
    ],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        params: who,
        slices: [Totals],
        tools: [add],
        template: (params) => `Adder ${params.who}.`,
      }),
    ],
  });
  const agent = { description: 'Asks an agent.', inputSchema: who, effects: 'state' } as const;
  const askAdder = agentTool({ ...agent, name: 'ask-adder', template: adder });
  const manager = promptTemplate({
    ns: 'test',
    key: 'manager',
    output: who,
    sections: [
      section({
        title: 'Task',
        key: 'task',
        params: who,
        slices: [Totals],
        tools: [askAdder],
        template: (params) => `Manager ${params.who}.`,
      }),
    ],
  });
  const ask = isDeep ? agentTool({ ...agent, name: 'ask-manager', template: manager }) : askAdder;
  return promptTemplate({
    ns: 'test',
    key: 'lead',
    resources: [binding(Filesystem, { instance: files })],
    sections: [section({ title: 'Task', key: 'task', template: 'Lead.', slices: [Totals], tools: [ask] })],
  }).bind();
}

/** The model of all; `asked` gets who asks in which turn. */
function modelOf(asked: string[], { names, isDeep }: Case): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter((_conversation, { instructions, turn }) => {
    const [text = 'lead', role, name = ''] = /(Adder|Manager) (\w+)\./u.exec(instructions) ?? [];
    asked.push(`${text} ${turn}`);
    const usage = { inputTokens: 1, outputTokens: 1 };
    if (turn === (role === 'Adder' ? 3 : 2))
      return { text: role === undefined ? 'done' : JSON.stringify({ who: name }), usage };
    const callOf = (toolName: string, to: string): { name: string; arguments: { who: string } } => ({
      name: toolName,
      arguments: { who: to },
    });
    if (role === 'Adder') return { toolCalls: [callOf('add', name)], usage };
    if (role === 'Manager') return { toolCalls: [callOf('ask-adder', name)], usage };
    return { toolCalls: names.map((to) => callOf(isDeep ? 'ask-manager' : 'ask-adder', to)), usage };
  });
}

interface Led {
  readonly totals: readonly unknown[];
  readonly usage: number | undefined;
  readonly asked: readonly string[];
  readonly questions: readonly PendingApproval[];
}

/** Begins a run, or continues it, until it has its answer. */
async function lead(journal: WatchedJournal, of: Case): Promise<Led> {
  const asked: string[] = [];
  const questions: PendingApproval[] = [];
  for (;;) {
    const session = new Session({ id: 'session' });
    const options = { journal, runId: 'run', session, approve: suspendApproval() };
    const prompt = leadPrompt(of, new MemoryFilesystem({ files: { 'total.txt': '0' } }));
    const adapter = modelOf(asked, of);
    const isNew = journal.batches.length === 0;
    const end = await (isNew
      ? adapter.evaluate(prompt, options)
      : resumeRun({ adapter, prompt, ...options }));
    const totals = session.slice(Totals).all();
    if (end.finishReason !== 'suspended') return { totals, usage: end.usage.inputTokens, asked, questions };
    const open = await pendingApprovals({ journal, runId: 'run' });
    questions.push(...open);
    const answers = open.map(({ id, digest }) => ({ id, digest, approved: true }));
    await answerApprovals({ journal, runId: 'run', answers });
  }
}

const responsesIn = (batches: readonly JournalBatch[]): number =>
  batches.flatMap(({ rows }) => rows).filter(({ type }) => type === 'response').length;

const cases: readonly Case[] = [
  { isDeep: true, where: 'session', names: ['a'] },
  { isDeep: true, where: 'files', names: ['q1'] },
  { isDeep: false, where: 'session', names: ['a', 'b', 'c'] },
  { isDeep: false, where: 'files', names: ['a', 'b', 'c'] },
  { isDeep: true, where: 'session', names: ['a', 'b'] },
  { isDeep: true, where: 'files', names: ['a', 'b'] },
  { isDeep: false, where: 'session', names: ['a', 'q1', 'q2', 'c'] },
  { isDeep: true, where: 'files', names: ['a', 'q1', 'q2'] },
];

it.each(cases)('agents of one turn come to the same after a kill, and take what was paid: %o', async (of) => {
  const { names } = of;
  const journal = watchedJournal();
  const whole = await lead(journal, of);
  const twice = names.flatMap((name) => [name, name]);
  expect(whole.totals).toEqual(twice.map((by, index) => ({ by, total: index + 1 })));
  expect(whole.usage).toBe(responsesIn(journal.batches));
  const asking = twice.filter((name) => name.startsWith('q')).map((name) => ({ who: name }));
  expect(whole.questions.map(({ params }) => params)).toEqual(expect.arrayContaining(asking));
  expect(whole.questions).toHaveLength(asking.length);
  for (let count = 1; count < journal.batches.length; count += 1) {
    const again = await journalAfter(journal.batches.slice(0, count), 'session');
    const { totals, usage } = await lead(again, of);
    const when = `after ${count} of ${journal.batches.length}`;
    expect(totals, when).toEqual(whole.totals);
    expect(usage, when).toBe(responsesIn(again.batches));
    // Nothing that it had read has changed, so that nothing is done again.
    if (names.length === 1) expect(usage, when).toBe(whole.usage);
  }
});
