import { expect, test } from 'vitest';
import {
  type EvaluateOptions,
  type JournalBatch,
  MemoryFilesystem,
  type RunJournal,
  resumeRun,
  Session,
  ToolCallLog,
} from 'weakincentives';
import { exportRecord, runRecorder } from 'weakincentives/record';
import { toolUse } from '../../../support/anthropic-messages.ts';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';
import { functionCall } from '../../../support/openai-responses.ts';
import {
  answeringBlocks,
  answeringItems,
  anthropicAdapters,
  listIn,
  openaiAdapters,
  patchCall,
  shellCall,
  type TypedWire,
  typedPrompt,
} from '../../../support/typed-wires.ts';

interface Vendor {
  /** The model, which begins with one of its turns. */
  open(from: number): TypedWire;
  /** Id, tool and shape of each call. */
  readonly calls: readonly (readonly [callId: string, toolName: string, providerKind: string | undefined])[];
  readonly conversation: 'input' | 'messages';
}

const vendors: readonly (readonly [string, Vendor])[] = [
  ...Object.entries(openaiAdapters).map(
    ([name, make]) =>
      [
        `OpenAI, ${name}`,
        {
          open: (from: number) =>
            answeringItems(
              make,
              ...[
                [
                  shellCall('c1', ['echo a', 'warn no; exit 3', 'hang']),
                  functionCall('f1', 'ls', {}),
                  patchCall('p1', { type: 'create_file', path: 'n', diff: '+n' }),
                ],
                [shellCall('c2', [])],
              ].slice(from),
            ),
          calls: [
            ['c1', 'shell_execute', 'openai.shell'],
            ['c1_2', 'shell_execute', 'openai.shell'],
            ['c1_3', 'shell_execute', 'openai.shell'],
            ['f1', 'ls', undefined],
            ['p1', 'apply_patch', 'openai.apply_patch'],
            ['c2', 'shell_execute', 'openai.shell'],
          ],
          conversation: 'input',
        },
      ] as const,
  ),
  ...Object.entries(anthropicAdapters).map(
    ([name, make]) =>
      [
        `Anthropic, ${name}`,
        {
          open: (from: number) =>
            answeringBlocks(
              make,
              ...[
                [
                  toolUse('t1', 'bash', { command: 'warn no; exit 3' }),
                  toolUse('t2', 'ls', {}),
                  toolUse('t3', 'str_replace_based_edit_tool', {
                    command: 'create',
                    path: 'n',
                    file_text: 'n',
                  }),
                ],
                [toolUse('t4', 'memory', { command: 'view', path: '/memories' })],
              ].slice(from),
            ),
          calls: [
            ['t1', 'shell_execute', 'anthropic.bash'],
            ['t2', 'ls', undefined],
            ['t3', 'write_file', 'anthropic.text_editor'],
            ['t4', 'memory', 'anthropic.memory'],
          ],
          conversation: 'messages',
        },
      ] as const,
  ),
];

const prompt = () =>
  typedPrompt({
    filesystem: new MemoryFilesystem(),
    typed: {
      openai: { shell: true, applyPatch: true },
      anthropic: { bash: true, textEditor: true, memory: true },
    },
  });

const callsIn = (session: Session) =>
  session
    .slice(ToolCallLog)
    .all()
    .map(({ callId, providerKind, toolName }) => [callId, toolName, providerKind]);

async function run(vendor: Vendor, options: EvaluateOptions = {}) {
  const session = new Session({ id: 'session' });
  const wire = vendor.open(0);
  const end = await wire.adapter.evaluate(prompt(), { input: 'Begin.', session, ...options });
  return { session, wire, end };
}

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test.each(vendors)(
  '%s: a session that is exported and imported continues with what the calls were',
  async (_name, vendor) => {
    const { end, session } = await run(vendor);
    expect(callsIn(session)).toEqual(vendor.calls);
    const more: EvaluateOptions = { input: 'More.', history: end.conversation };
    const imported = new Session();
    // A run installs the slices of its prompt and of the runtime.
    await vendor.open(2).adapter.evaluate(prompt(), { input: 'Begin.', session: imported });
    imported.importState(throughJson(session.exportState({ includeLogs: true })));
    expect(imported.slice(ToolCallLog).all()).toEqual(session.slice(ToolCallLog).all());
    const history = throughJson(end.conversation) as typeof end.conversation;
    const [first, second] = [vendor.open(0), vendor.open(0)];
    await first.adapter.evaluate(prompt(), { ...more, session });
    await second.adapter.evaluate(prompt(), { ...more, history, session: imported });
    const asked = ({ requests }: TypedWire) =>
      requests.map((request) => listIn(request, vendor.conversation));
    expect(asked(second)).toEqual(asked(first));
    expect(JSON.stringify(asked(second)[0])).toMatch(/exit_code":3|exit code 3/);
    expect(callsIn(imported)).toEqual(callsIn(session));
    expect(callsIn(imported)).toEqual([...vendor.calls, ...vendor.calls]);
  },
);

/** Id, tool and shape of the calls whose ends the rows of a record tell. */
function callsOf(lines: readonly string[]): readonly unknown[] {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'commit' || type === 'attempt')
    .map(({ callId, result, toolName }) => [callId, toolName, result.providerKind]);
}

async function exported(journal: RunJournal): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of exportRecord({ journal, runId: 'run' })) lines.push(line);
  return lines;
}

const answersIn = (batches: readonly JournalBatch[]): number =>
  batches.flatMap(({ rows }) => rows).filter(({ type }) => type === 'response').length;

test.each(vendors)(
  '%s: a run that is killed anywhere knows the shapes of its calls',
  async (_name, vendor) => {
    const journal = watchedJournal();
    const recorded: string[] = [];
    const recorder = runRecorder({ write: (line) => void recorded.push(line) });
    const { session } = await run(vendor, { journal, runId: 'run', observers: [recorder] });
    expect(callsOf(recorded)).toEqual(vendor.calls);
    expect(callsOf(await exported(journal))).toEqual(vendor.calls);
    const expected = session.slice(ToolCallLog).all();
    expect(callsIn(session)).toEqual(vendor.calls);
    for (let count = 1; count < journal.batches.length; count += 1) {
      const part = journal.batches.slice(0, count);
      const resumed = new Session({ id: 'session' });
      const rest = await journalAfter(part, 'session');
      await resumeRun({
        adapter: vendor.open(answersIn(part)).adapter,
        runId: 'run',
        prompt: prompt(),
        session: resumed,
        journal: rest,
      });
      expect(callsIn(resumed), `after ${count}`).toEqual(vendor.calls);
      expect(callsOf(await exported(rest)), `after ${count}`).toEqual(vendor.calls);
      const valuesOf = (calls: typeof expected) => calls.map(({ modelText, value }) => [modelText, value]);
      expect(valuesOf(resumed.slice(ToolCallLog).all()), `after ${count}`).toEqual(valuesOf(expected));
    }
    expect(journal.batches.length).toBeGreaterThan(4);
  },
);
