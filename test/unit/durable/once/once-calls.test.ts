import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  answerApprovals,
  defineSlice,
  forkRun,
  PolicyDecision,
  PromptValidationError,
  pendingApprovals,
  promptTemplate,
  resumeRun,
  Session,
  section,
  suspendApproval,
  ToolCallLog,
  type ToolContext,
  type ToolInvokedPayload,
  ToolResult,
  tool,
} from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalOperations } from '../../../../src/core/runtime/index.ts';
import {
  invoice,
  payAgain,
  payingModel,
  payPrompt,
  payRun,
  payTool,
  textsOf,
} from '../../../support/once-calls.ts';

const doneText = /^This was done before, and was not done again\. The result was:\n\n/;
const inDoubtText =
  '"pay" was not called: an earlier call began to do "invoice/1", and its result is not known. It may have taken effect, and is not done again until a person has found out.';

describe('a tool with once', () => {
  it('does a thing once over all runs, and later calls read what it returned', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const prompt = payPrompt([payTool(paid)]);
    expect(await payRun(journal, 'a', prompt, invoice('1'))).toEqual(['Paid 5.\n\n{"amount":5}']);
    const session = new Session();
    const [again = ''] = await payRun(journal, 'b', prompt, invoice('1'), session);
    expect(again).toMatch(doneText);
    expect(again).toMatch(/Paid 5\.\n\n\{"amount":5\}$/);
    const record = session.slice(ToolCallLog).latest();
    expect(record).toMatchObject({ success: true, outcome: 'committed', once: 'done' });
    expect(record).not.toHaveProperty('value');
    expect(await payRun(journal, 'c', prompt, invoice('2'))).toEqual(['Paid 5.\n\n{"amount":5}']);
    expect(paid).toEqual(['1:5', '2:5']);
  });

  it('fails for other arguments of the same key', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const prompt = payPrompt([payTool(paid)]);
    await payRun(journal, 'a', prompt, invoice('1'));
    const session = new Session();
    expect(await payRun(journal, 'b', prompt, invoice('1', 6), session)).toEqual([
      '"pay" was not called: a call with other arguments has done "invoice/1", or is doing it. Find out what was done; the same arguments return it.',
    ]);
    expect(session.slice(ToolCallLog).latest()).toMatchObject({
      outcome: 'rejected',
      reason: 'once-differs',
    });
    expect(paid).toEqual(['1:5']);
  });

  it('knows equal arguments in any order', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const prompt = payPrompt([payTool(paid)]);
    await payRun(journal, 'a', prompt, { invoice: '1', amount: 5 });
    const [again] = await payRun(journal, 'b', prompt, { amount: 5, invoice: '1' });
    expect(again).toMatch(doneText);
  });

  it('does not wait for a call that does it now', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    let other: readonly string[] = [];
    const session = new Session();
    const prompt = payPrompt([payTool(paid)]);
    const slow = payTool(paid, {
      execute: async () => {
        other = await payRun(journal, 'b', prompt, invoice('1'), session);
        return ToolResult.ok(null, 'Paid.');
      },
    });
    expect(await payRun(journal, 'a', payPrompt([slow]), invoice('1'))).toEqual(['Paid.']);
    expect(other).toEqual([
      '"pay" was not called: another call is doing "invoice/1" now. Call it again later to get its result.',
    ]);
    expect(session.slice(ToolCallLog).latest()).toMatchObject({ outcome: 'rejected', reason: 'once-busy' });
    expect(paid).toEqual([]);
  });

  it('may be called again after a failed result: nothing was done', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const refusing = payTool(paid, { execute: () => ToolResult.error('The bank refused.') });
    expect(await payRun(journal, 'a', payPrompt([refusing]), invoice('1'))).toEqual(['The bank refused.']);
    expect(await journal.ledger?.onceKeys()).toEqual([]);
    expect(await payRun(journal, 'b', payPrompt([payTool(paid)]), invoice('1', 7))).toHaveLength(1);
    expect(paid).toEqual(['1:7']);
  });

  it.each<[string, Parameters<typeof payTool>[1]]>([
    [
      'throws',
      {
        execute: () => {
          throw new Error('The connection broke.');
        },
      },
    ],
    ['returns no result', { execute: () => undefined as never }],
    ['times out', { timeoutMs: 1, execute: () => new Promise(() => undefined) }],
  ])('is in doubt when the handler %s, until a person settles it', async (_what, extra) => {
    const paid: string[] = [];
    const journal = memoryJournal();
    await payRun(journal, 'a', payPrompt([payTool(paid, extra)]), invoice('1'));
    expect(await journal.ledger?.onceKeys()).toMatchObject([
      { key: 'invoice/1', state: 'in-doubt', call: 'a/1/call-1-1' },
    ]);
    const prompt = payPrompt([payTool(paid)]);
    const session = new Session();
    expect(await payRun(journal, 'b', prompt, invoice('1'), session)).toEqual([inDoubtText]);
    expect(session.slice(ToolCallLog).latest()).toMatchObject({ outcome: 'aborted', reason: 'in-doubt' });
    // It stays so, and names the call that began.
    expect(await payRun(journal, 'c', prompt, invoice('1'))).toEqual([inDoubtText]);
    const key = { toolName: 'pay', key: 'invoice/1' };
    expect(await journal.ledger?.settleOnce(key, { kind: 'not-done' })).toMatchObject({
      call: 'a/1/call-1-1',
    });
    await payRun(journal, 'd', prompt, invoice('1'));
    expect(paid).toEqual(['1:5']);
  });

  it('is in doubt when the run is aborted while the handler works', async () => {
    const controller = new AbortController();
    const journal = memoryJournal();
    const slow = payTool([], {
      execute: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    const aborted = payingModel(invoice('1')).evaluate(payPrompt([slow]), {
      journal,
      runId: 'a',
      input: 'go',
      signal: controller.signal,
    });
    await expect(aborted).rejects.toThrow();
    expect(await payRun(journal, 'b', payPrompt([payTool([])]), invoice('1'))).toEqual([inDoubtText]);
  });

  it('asks the tool what became of a call in doubt, with the keys of the call that began', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const breaking = payTool(paid, {
      execute: ({ amount }) => {
        paid.push(String(amount));
        throw new Error('The connection broke.');
      },
    });
    await payRun(journal, 'a', payPrompt([breaking]), invoice('1'));
    const asked: unknown[] = [];
    const knowing = payTool(paid, {
      reconcile: (params, { idempotencyKey, onceKey }) => {
        asked.push([params, idempotencyKey, onceKey]);
        return ToolResult.ok(null, 'Paid 5, the bank says.');
      },
    });
    expect(await payRun(journal, 'b', payPrompt([knowing]), invoice('1'))).toEqual([
      'Paid 5, the bank says.',
    ]);
    expect(asked).toEqual([[invoice('1'), 'a/1/call-1-1', 'invoice/1']]);
    const [later] = await payRun(journal, 'c', payPrompt([knowing]), invoice('1'));
    expect(later).toMatch(/Paid 5, the bank says\.$/);
    expect(await journal.ledger?.onceKeys()).toMatchObject([{ state: 'done', call: 'a/1/call-1-1' }]);
    expect(paid).toEqual(['5']);
  });

  it('is free when the tool finds out that nothing was done, and stays in doubt when it fails to', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const breaking = payTool(paid, {
      execute: () => {
        throw new Error('The connection broke.');
      },
    });
    await payRun(journal, 'a', payPrompt([breaking]), invoice('1'));
    const closed = payTool(paid, {
      reconcile: () => {
        throw new Error('The bank is closed.');
      },
    });
    expect(await payRun(journal, 'b', payPrompt([closed]), invoice('1'))).toEqual([inDoubtText]);
    const knowing = payTool(paid, { reconcile: () => ToolResult.error('Nothing was paid.') });
    expect(await payRun(journal, 'c', payPrompt([knowing]), invoice('1'))).toEqual(['Nothing was paid.']);
    await payRun(journal, 'd', payPrompt([knowing]), invoice('1'));
    expect(paid).toEqual(['1:5']);
  });

  it('was done although the call is rolled back after its success', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const outputSchema = z.object({ receipt: z.string() });
    const wrong = tool({
      name: 'pay',
      description: 'Pays.',
      effects: 'external',
      inputSchema: z.object({ invoice: z.string(), amount: z.number() }),
      outputSchema,
      once: (params) => `invoice/${params.invoice}`,
      execute: () => {
        paid.push('1');
        return ToolResult.ok({ receipt: 1 } as never, 'Paid.');
      },
    });
    const session = new Session();
    await payRun(journal, 'a', payPrompt([wrong]), invoice('1'), session);
    expect(session.slice(ToolCallLog).latest()).toMatchObject({ success: false, reason: 'invalid-output' });
    const [again] = await payRun(journal, 'b', payPrompt([wrong]), invoice('1'));
    expect(again).toMatch(doneText);
    expect(paid).toEqual(['1']);
  });

  it('asks no person about what was done, and asks before it is done', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const questions: string[] = [];
    const careful = {
      name: 'careful',
      check: () => PolicyDecision.ask('Sure?'),
    };
    const prompt = payPrompt([payTool(paid)], { policies: [careful] });
    const evaluate = async (runId: string, approved: boolean): Promise<readonly string[]> => {
      const { conversation } = await payingModel(invoice('1')).evaluate(prompt, {
        journal,
        runId,
        input: 'go',
        approve: () => {
          questions.push(runId);
          return approved;
        },
      });
      return textsOf(conversation);
    };
    expect((await evaluate('a', false))[0]).toContain('needs approval');
    expect(await journal.ledger?.onceKeys()).toEqual([]);
    await evaluate('b', true);
    expect((await evaluate('c', true))[0]).toMatch(doneText);
    expect(questions).toEqual(['a', 'b']);
    expect(paid).toEqual(['1:5']);
  });

  it('is refused by its policies before the ledger is asked', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    await payRun(journal, 'a', payPrompt([payTool(paid)]), invoice('1'));
    const closed = { name: 'closed', check: () => PolicyDecision.deny('No payments.') };
    const [text] = await payRun(
      journal,
      'b',
      payPrompt([payTool(paid)], { policies: [closed] }),
      invoice('1'),
    );
    expect(text).toContain('No payments.');
  });

  it('takes over what a run did that waits for an answer about its changes', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const prompt = payPrompt([payTool(paid)], {
      policies: [{ name: 'careful', check: () => PolicyDecision.ask('Sure?') }],
    });
    const options = { journal, runId: 'a', input: 'go', approve: suspendApproval() };
    const suspended = await payingModel(invoice('1')).evaluate(prompt, options);
    expect(suspended.finishReason).toBe('suspended');
    expect(await journal.ledger?.onceKeys()).toEqual([]);
    // Meanwhile another run does it.
    await payRun(journal, 'b', payPrompt([payTool(paid)]), invoice('1'));
    const [question] = await pendingApprovals({ journal, runId: 'a' });
    await answerApprovals({
      journal,
      runId: 'a',
      answers: [{ id: question?.id ?? '', digest: question?.digest ?? '', approved: true }],
    });
    const { conversation } = await resumeRun({
      adapter: payingModel(invoice('1')),
      journal,
      runId: 'a',
      prompt,
      approve: suspendApproval(),
    });
    expect(textsOf(conversation)[0]).toMatch(doneText);
    expect(paid).toEqual(['1:5']);
  });

  it('is found done by a fork of the run that did it', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const note = tool({
      name: 'note',
      description: 'Notes.',
      effects: 'state',
      execute: () => ToolResult.ok(null, 'Noted.'),
    });
    const prompt = payPrompt([payTool(paid), note]);
    const model = scriptedAdapter((_conversation, { turn }) => {
      if (turn === 1) return { toolCalls: [{ name: 'note' }] };
      return turn === 2 ? { toolCalls: [{ name: 'pay', arguments: invoice('1') }] } : { text: 'end' };
    });
    await model.evaluate(prompt, { journal, runId: 'a', input: 'go' });
    await forkRun({ journal, runId: 'a', at: 1, newRunId: 'b' });
    const { conversation } = await resumeRun({ adapter: model, journal, runId: 'b', prompt });
    expect(textsOf(conversation)[1]).toMatch(doneText);
    expect(paid).toEqual(['1:5']);
  });

  it('gives the key to the handler, and the handler cannot change it', async () => {
    const seen: unknown[] = [];
    const journal = memoryJournal();
    const changing = payTool([], {
      execute: (params: { invoice: string }, { onceKey }: ToolContext) => {
        params.invoice = 'other';
        seen.push(onceKey);
        return ToolResult.ok(null, 'Paid.');
      },
    });
    await payRun(journal, 'a', payPrompt([changing]), invoice('1'));
    expect(seen).toEqual(['invoice/1']);
    expect((await journal.ledger?.onceKeys())?.map(({ key }) => key)).toEqual(['invoice/1']);
    const plain = tool({
      name: 'pay',
      description: 'Pays.',
      execute: (_params, { onceKey }) => {
        seen.push(onceKey);
        return ToolResult.ok(null);
      },
    });
    await payRun(journal, 'b', payPrompt([plain]), {});
    expect(seen).toEqual(['invoice/1', undefined]);
  });

  it.each([
    ['an empty text', () => ''],
    ['a long text', () => 'x'.repeat(513)],
    ['half of a pair', () => 'a\ud83d'],
    ['a promise', () => Promise.resolve('a') as unknown as string],
  ])('is not called when its key is %s', async (_what, once) => {
    const paid: string[] = [];
    const session = new Session();
    const journal = memoryJournal();
    const [text] = await payRun(journal, 'a', payPrompt([payTool(paid, { once })]), invoice('1'), session);
    expect(text).toBe(
      '"pay" was not called: what its arguments name has to be a text of 1 to 512 characters, without U+0000 and without half of a surrogate pair.',
    );
    expect(session.slice(ToolCallLog).latest()).toMatchObject({
      outcome: 'rejected',
      reason: 'invalid-arguments',
    });
    expect(paid).toEqual([]);
  });

  it('fails without an effect when once throws', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const once = (): string => {
      throw new Error('No such invoice.');
    };
    const [text] = await payRun(journal, 'a', payPrompt([payTool(paid, { once })]), invoice('1'));
    expect(text).toBe('The tool "pay" failed: No such invoice.');
    expect(paid).toEqual([]);
  });

  it('keeps at most 20,000 characters, and gives no more than the tool may', async () => {
    const journal = memoryJournal();
    const long = payTool([], { execute: () => ToolResult.ok(null, `${'x'.repeat(19_999)}😀 end`) });
    await payRun(journal, 'a', payPrompt([long]), invoice('1'));
    const [kept] = (await journal.ledger?.onceKeys()) ?? [];
    expect(kept?.result).toBe('x'.repeat(19_999));
    const short = payTool([], { maxResultCharacters: 100 });
    const [text = ''] = await payRun(journal, 'b', payPrompt([short]), invoice('1'));
    expect(text).toMatch(doneText);
    expect(text).toHaveLength(100);
  });

  it('dispatches no event of its own where it was done before', async () => {
    const journal = memoryJournal();
    const pay = payTool([]);
    await payRun(journal, 'a', payPrompt([pay]), invoice('1'));
    const seen = defineSlice({
      name: 'seen',
      schema: z.string(),
      reducers: (on) => [on(pay.succeeded, (items, { callId }) => items.append(callId))],
    });
    const session = new Session();
    session.install(seen);
    await payRun(journal, 'b', payPrompt([pay]), invoice('1'), session);
    await payRun(journal, 'c', payPrompt([pay]), invoice('2'), session);
    expect(session.slice(seen).all()).toHaveLength(1);
  });

  it('is refused at the start without a journal that has a ledger, by name', async () => {
    const prompt = payPrompt([payTool([])]);
    const text =
      'The tool "pay" of the prompt "once" has the option once, which needs a journal with a ledger of what was done. Pass the option journal, such as sqliteJournal(), or leave out once.';
    const evaluate = (options: object): Promise<unknown> =>
      payingModel(invoice('1')).evaluate(prompt, { input: 'go', ...options });
    await expect(evaluate({})).rejects.toThrow(text);
    await expect(evaluate({})).rejects.toSatisfy(PromptValidationError.isInstance);
    const { ledger: _ledger, ...without } = journalOperations(memoryJournal());
    await expect(evaluate({ journal: without, runId: 'a' })).rejects.toThrow(text);
  });

  it('works in an evaluation inside a call, and is refused there without a ledger', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const inner = payPrompt([payTool(paid)]);
    const agent = tool({
      name: 'agent',
      description: 'Has it done.',
      effects: 'external',
      reenters: true,
      execute: async (_params, { adapter }) => {
        const { conversation } = await adapter.evaluate(inner, { input: 'go' });
        return ToolResult.ok(null, textsOf(conversation).join());
      },
    });
    const outer = promptTemplate({
      ns: 'test',
      key: 'outer',
      sections: [section({ title: 'Task', key: 'task', template: 'Lead.', tools: [agent as AnyTool] })],
    }).bind();
    const model = scriptedAdapter((_conversation, { turn, instructions }) => {
      if (turn > 1) return { text: 'end' };
      const name = instructions.includes('Lead.') ? 'agent' : 'pay';
      return { toolCalls: [{ name, arguments: name === 'pay' ? invoice('1') : {} }] };
    });
    const run = async (options: object): Promise<readonly string[]> =>
      textsOf((await model.evaluate(outer, { input: 'go', ...options })).conversation);
    await run({ journal, runId: 'a' });
    expect((await run({ journal, runId: 'b' }))[0]).toMatch(doneText);
    expect(paid).toEqual(['1:5']);
    expect((await run({}))[0]).toContain('has the option once, which needs a journal with a ledger');
  });

  it('has the same end when the run is resumed from its rows', async () => {
    const paid: string[] = [];
    const journal = memoryJournal();
    const prompt = payPrompt([payTool(paid)]);
    await payRun(journal, 'a', prompt, invoice('1'));
    const first = await payRun(journal, 'b', prompt, invoice('1'));
    expect(await payAgain(journal, 'b', prompt, invoice('1'))).toEqual(first);
    const rows = await journal.read('b');
    const commit = rows.find(({ type }) => type === 'commit');
    const row = JSON.parse(commit?.line ?? '{}') as { readonly result?: ToolInvokedPayload };
    expect(row.result?.once).toBe('done');
    // It has not begun anything.
    expect(rows.map(({ type }) => type)).not.toContain('begin');
  });
});

describe('tool()', () => {
  const base = { name: 'pay', description: 'Pays.', once: () => 'k', execute: () => ToolResult.ok(null) };

  it.each([
    [{ effects: 'state' as const }, "a tool with effects 'state' changes nothing outside"],
    [{ effects: 'read' as const }, "a tool with effects 'read' changes nothing outside"],
    [{ idempotent: true }, 'with idempotent its handler runs again after a crash'],
    [{ reenters: true }, 'with reenters its handler runs again after a crash'],
    [{ once: 'k' as never }, 'once must be a function'],
  ])('refuses once with %o', (extra, text) => {
    const make = () => tool({ ...base, ...extra });
    expect(make).toThrow(text);
    expect(make).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ tool: 'pay', placeholder: 'once' }) }),
    );
  });

  it('takes once for a tool with effects outside', () => {
    expect(tool(base).once).toBe(base.once);
  });
});
