import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  binding,
  type JournalBatch,
  type Prompt,
  promptTemplate,
  resumeRun,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { Accounts, bankOf, parallelAccounts } from '../../../support/accounts.ts';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

const adapter = scriptedAdapter([{ toolCalls: [{ name: 'pay', arguments: {} }] }, { text: 'done' }]);
const inputSchema = z.object({});

function promptOf(tools: readonly AnyTool[]): Prompt {
  return promptTemplate({
    ns: 'test',
    key: 'doubt',
    resources: [binding(Accounts, { instance: bankOf({ a: 10 }), transactional: parallelAccounts() })],
    sections: [section({ title: 'Task', key: 'task', template: 'Pay.', tools })],
  }).bind();
}

/** The rows up to the row `begin` of the call. */
async function killedAfterBegin(prompt: Prompt): Promise<readonly JournalBatch[]> {
  const journal = watchedJournal();
  await adapter.evaluate(prompt, { journal, runId: 'run', session: new Session({ id: 'session' }) });
  const isBegin = ({ rows }: JournalBatch): boolean => rows.some(({ type }) => type === 'begin');
  return journal.batches.slice(0, journal.batches.findIndex(isBegin) + 1);
}

/** What the model reads of the call when the run is resumed after its row `begin`, and what is recorded of it. */
async function readOf(make: (ran: string[]) => AnyTool) {
  const ran: string[] = [];
  const batches = await killedAfterBegin(promptOf([make([])]));
  const session = new Session({ id: 'session' });
  const { conversation } = await resumeRun({
    adapter,
    runId: 'run',
    session,
    prompt: promptOf([make(ran)]),
    journal: await journalAfter(batches, 'session'),
  });
  return { ran, item: conversation.at(-2), record: session.slice(ToolCallLog).latest() };
}

const external =
  (extra: object = {}) =>
  (ran: string[]) =>
    tool({
      name: 'pay',
      description: 'Pays.',
      effects: 'external' as const,
      inputSchema,
      ...extra,
      execute: (_params, { callId }) => {
        ran.push(callId);
        return ToolResult.ok(null, 'Paid.');
      },
    });

const withResource = (ran: string[]) =>
  tool({
    name: 'pay',
    description: 'Pays.',
    effects: 'state',
    inputSchema,
    execute: async (_params, { callId, resources }) => {
      ran.push(callId);
      (await resources.get(Accounts)).set('a', 9);
      return ToolResult.ok(null, 'Paid.');
    },
  });

const text =
  'The call of "pay" began before the run was interrupted, and its result is not known: it may have taken effect, or still do so. Find out before you call it again.';

describe('what the model reads of a call in doubt', () => {
  it.each<[string, (ran: string[]) => AnyTool]>([
    ['with effects outside', external()],
    ['that commits a resource', withResource],
    ['whose tool cannot say what became of it', external({ reconcile: () => undefined })],
    [
      'whose tool fails to find out',
      external({
        reconcile: () => {
          throw new Error('The bank is closed: account 4711.');
        },
      }),
    ],
  ])('%s: that it may have taken effect, or still do so, and no more', async (_what, make) => {
    const { ran, item, record } = await readOf(make);
    expect(ran).toEqual([]);
    expect(item).toEqual({ type: 'tool-result', callId: 'call-1-1', toolName: 'pay', text, isError: true });
    expect(record).toMatchObject({ outcome: 'aborted', reason: 'in-doubt', success: false, changes: [] });
  });
});
