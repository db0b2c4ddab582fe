import { expect, test } from 'vitest';
import {
  type EvaluateOptions,
  forkRun,
  type JournalBatch,
  MemoryFilesystem,
  PolicyDecision,
  resumeRun,
  Session,
  suspendApproval,
  type ToolPolicy,
} from 'weakincentives';
import { exportRecord, readRunRecord, replayRun } from 'weakincentives/record';
import { toolUse } from '../../../support/anthropic-messages.ts';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';
import { functionCall } from '../../../support/openai-responses.ts';
import {
  answeringBlocks,
  answeringItems,
  anthropicAdapters,
  type Item,
  openaiAdapters,
  shellCall,
  smallShell,
  type TypedWire,
  typedPrompt,
} from '../../../support/typed-wires.ts';

const files = { a: '1\n2\n' };

/** Two turns of every kind of call, for each format. */
const shells: readonly (readonly Item[])[] = [
  [
    shellCall('c1', ['echo a; write kept 1', 'warn no; exit 3', 'cat kept', 'hang'], {
      max_output_length: 500,
    }),
    functionCall('f1', 'ls', {}),
    shellCall('c2', ['echo <wink-feedback>; kill', 'echo secret', 'print 3000']),
    shellCall('c3', []),
  ],
  [shellCall('c4', ['cat kept', 'exit 4'])],
];
const blocks: readonly (readonly Item[])[] = [
  [
    toolUse('t1', 'bash', { command: 'echo a; write kept 1' }),
    toolUse('t2', 'bash', { restart: true }),
    toolUse('t3', 'str_replace_based_edit_tool', { command: 'view', path: 'a' }),
    toolUse('t4', 'str_replace_based_edit_tool', {
      command: 'insert',
      path: 'a',
      insert_line: 1,
      insert_text: 'x',
    }),
    toolUse('t5', 'str_replace_based_edit_tool', { command: 'undo_edit', path: 'a' }),
    toolUse('t6', 'memory', { command: 'create', path: '/memories/m', file_text: 'note\n' }),
  ],
  [
    toolUse('t7', 'bash', { command: 'cat kept; exit 4' }),
    toolUse('t8', 'memory', { command: 'view', path: '/memories/m' }),
  ],
];

/** Makes the model, which begins with one of its turns. */
type Open = (from: number) => TypedWire;

const opens: readonly (readonly [string, Open])[] = [
  ...Object.entries(openaiAdapters).map(
    ([name, make]) =>
      [`OpenAI, ${name}`, (from: number) => answeringItems(make, ...shells.slice(from))] as const,
  ),
  ...Object.entries(anthropicAdapters).map(
    ([name, make]) =>
      [`Anthropic, ${name}`, (from: number) => answeringBlocks(make, ...blocks.slice(from))] as const,
  ),
];

const deny: ToolPolicy = {
  name: 'deny',
  check: ({ params }) =>
    JSON.stringify(params).includes('echo secret') ? PolicyDecision.deny('No.') : PolicyDecision.allow(),
};

const prompt = (policies: readonly ToolPolicy[] = [deny]) =>
  typedPrompt({ filesystem: new MemoryFilesystem({ files }), backend: smallShell(), more: { policies } });

const options: EvaluateOptions = {
  input: 'Begin.',
  feedback: [{ name: 'tidy', triggers: { everyCalls: 2 }, provide: () => ({ message: 'Tidy <up>.' }) }],
  context: { results: { maxCharacters: 1000 } },
};

const { input: _input, ...again } = options;

/** Ids that differ in each answer of a model that begins later. */
const bodyOf = ({ text }: { readonly text: string }): string => text.replaceAll(/resp_\d/g, 'resp_N');

function answersIn(batches: readonly JournalBatch[]): number {
  return batches.flatMap(({ rows }) => rows).filter(({ type }) => type === 'response').length;
}

async function wholeRun(open: Open, given = options) {
  const journal = watchedJournal();
  const wire = open(0);
  const session = new Session({ id: 'session' });
  const end = await wire.adapter.evaluate(prompt(), { ...given, journal, runId: 'run', session });
  return { journal, bodies: wire.requests.map(bodyOf), conversation: end.conversation, session };
}

test.each(opens)('a run that is killed anywhere asks as it would have: %s', async (_name, open) => {
  const { bodies, conversation, journal } = await wholeRun(open);
  expect(bodies).toHaveLength(3);
  const seen = new Set<number>();
  for (let count = 1; count < journal.batches.length; count += 1) {
    const part = journal.batches.slice(0, count);
    const answered = answersIn(part);
    seen.add(answered);
    const wire = open(answered);
    const end = await resumeRun({
      ...again,
      adapter: wire.adapter,
      runId: 'run',
      prompt: prompt(),
      journal: await journalAfter(part, 'session'),
    });
    expect(wire.requests.map(bodyOf), `after ${count}`).toEqual(bodies.slice(answered));
    expect(end.conversation, `after ${count}`).toEqual(conversation);
  }
  expect([...seen]).toEqual([0, 1, 2, 3].slice(0, seen.size));
  expect(journal.batches.length).toBeGreaterThan(5);
});

const [[, openNative]] = opens as readonly [readonly [string, Open]];

test('a run that is suspended between two commands asks as it would have', async () => {
  const ask: ToolPolicy = {
    name: 'ask',
    check: ({ params }) =>
      JSON.stringify(params).includes('exit 3') ? PolicyDecision.ask('Really?') : PolicyDecision.allow(),
  };
  const policies = [deny, ask];
  // Ids of kept results are those of a session.
  const { context: _context, input: _begun, ...plain } = options;
  const whole = openNative(0);
  await whole.adapter.evaluate(prompt(policies), { ...plain, input: 'Begin.', approve: () => true });
  const journal = watchedJournal();
  const first = openNative(0);
  const suspended = await first.adapter.evaluate(prompt(policies), {
    ...plain,
    input: 'Begin.',
    journal,
    runId: 'run',
    approve: suspendApproval(),
  });
  if (suspended.finishReason !== 'suspended') throw new Error('The run is not suspended.');
  expect(suspended.pending).toMatchObject([{ toolName: 'shell_execute', callId: 'c1_2' }]);
  const second = openNative(1);
  await resumeRun({
    ...plain,
    adapter: second.adapter,
    runId: 'run',
    prompt: prompt(policies),
    journal,
    answers: suspended.pending.map(({ id, digest }) => ({ id, digest, approved: true })),
  });
  expect(second.requests.map(bodyOf)).toEqual(whole.requests.slice(1).map(bodyOf));
});

test('a run that is forked after the first command of a call asks with the others run again', async () => {
  const { bodies, journal } = await wholeRun(openNative);
  const { calls } = await readRunRecord(exportRecord({ journal, runId: 'run' }));
  expect(calls.map(({ callId }) => callId).slice(0, 2)).toEqual(['c1', 'c1_2']);
  expect(calls[1]?.value).toMatchObject({ exit_code: 3, stderr: 'no\n' });
  const { runId } = await forkRun({ journal, runId: 'run', at: calls[0]?.id ?? '' });
  const wire = openNative(1);
  await resumeRun({ ...again, adapter: wire.adapter, runId, prompt: prompt(), journal });
  expect(wire.requests.map(bodyOf)).toEqual(bodies.slice(1));
});

test('a replay of the run asks the same, and finds no difference', async () => {
  const { feedback: _feedback, ...quiet } = options;
  const { journal } = await wholeRun(openNative, quiet);
  const { input: _asked, ...replayed } = quiet;
  const record = await readRunRecord(exportRecord({ journal, runId: 'run' }));
  const report = await replayRun({ record, prompt: prompt(), options: replayed });
  expect(report).toMatchObject({ isSame: true });
});
