import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  CompletionVerdict,
  defineAgent,
  hostedOutputsOf,
  MemoryFilesystem,
  PolicyDecision,
  promptTemplate,
  runAgent,
  SessionBusyError,
  section,
  streamAgent,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { webSearchSection } from 'weakincentives/tools';
import { z } from 'zod';
import { bareTemplate, notes, notesModel } from './agents.ts';

const deploy = tool({
  name: 'deploy',
  description: 'Deploy.',
  inputSchema: z.object({ target: z.string() }),
  execute: ({ target }) => ToolResult.ok(null, `Deployed to ${target}.`),
});
const guarded = promptTemplate({
  ns: 'agents',
  key: 'guarded',
  sections: [section({ title: 'T', key: 't', template: 'Deploy.', tools: [deploy] })],
  policies: [{ name: 'ask-first', check: () => PolicyDecision.ask('Production needs a person.') }],
});
const call = { toolCalls: [{ name: 'deploy', arguments: { target: 'production' } }] };

describe('a run with a journal', () => {
  it('begins under a new id when none is given', async () => {
    const journal = memoryJournal();
    const agent = defineAgent({ template: bareTemplate });
    const first = await runAgent(agent, { adapter: scriptedAdapter([{ text: 'A.' }]), journal });
    const second = await runAgent(agent, { adapter: scriptedAdapter([{ text: 'B.' }]), journal });
    expect((await journal.runs()).map(({ runId }) => runId).toSorted()).toEqual(
      [first.runId, second.runId].toSorted(),
    );
  });

  it('lets rules read what hosted tools have given, also in a later life', async () => {
    const search = webSearchSection();
    const searching = search.hostedTools[0];
    const sourcesIn = (context: Parameters<typeof hostedOutputsOf>[0]): readonly string[] =>
      hostedOutputsOf(context, searching).citations.flatMap((found) =>
        found.type === 'url' ? [found.url] : [],
      );
    const task = section({ title: 'Task', key: 'task', template: 'Say when high tide is.' });
    const checked: (readonly string[])[] = [];
    const agent = defineAgent({
      template: promptTemplate({ ns: 'agents', key: 'sources', sections: [task, search] }),
      completion: {
        name: 'sources',
        check: (context) => {
          checked.push(sourcesIn(context));
          return sourcesIn(context).length > 0
            ? CompletionVerdict.complete()
            : CompletionVerdict.incomplete('Name a source.');
        },
      },
      conclude: (context) => ({ summary: sourcesIn(context).join() }),
    });
    const url = 'https://tides.example';
    const hosted = [{ toolName: 'web_search', invocations: [], citations: [{ type: 'url', url } as const] }];
    const job = { journal: memoryJournal(), runId: 'tides' };
    const adapter = scriptedAdapter([{ text: 'At five.' }, { text: 'At six.', hosted }]);
    const first = await runAgent(agent, { ...job, adapter });
    expect(first).toMatchObject({ text: 'At six.', conclusion: { summary: url } });
    expect(checked).toEqual([[], [url]]);
    const again = await runAgent(agent, { ...job, adapter: scriptedAdapter([]) });
    expect(again).toMatchObject({ text: 'At six.', conclusion: { summary: url } });
    expect(checked).toHaveLength(2);
  });

  it('looks its run up by the name, and lists no others', async () => {
    const journal = memoryJournal();
    const asked: unknown[] = [];
    const runs = journal.runs.bind(journal);
    const watched = Object.assign(journal, {
      runs: (filter?: Parameters<typeof runs>[0]) => {
        asked.push(filter);
        return runs(filter);
      },
    });
    const agent = defineAgent({ template: bareTemplate });
    const job = { journal: watched, runId: 'job' };
    await runAgent(agent, { ...job, adapter: scriptedAdapter([{ text: 'A.' }]) });
    await runAgent(agent, { ...job, adapter: scriptedAdapter([]) });
    expect(asked.length).toBeGreaterThan(1);
    expect(asked).toEqual(asked.map(() => ({ runId: 'job' })));
  });

  it('answers again when it has its answer, without the model, and prepares once', async () => {
    const journal = memoryJournal();
    let asked = 0;
    let prepared = 0;
    const agent = defineAgent({
      template: notes.template,
      params: { topic: 'bees' },
      input: 'Go.',
      prepare: () => void (prepared += 1),
      conclude: ({ text }) => ({ summary: text }),
    });
    const job = {
      journal,
      runId: 'job-17',
      observers: [
        { onEvent: ({ type }: { type: string }) => void (asked += type === 'model-call-start' ? 1 : 0) },
      ],
    };
    const once = await runAgent(agent, {
      ...job,
      adapter: notesModel('bees'),
      workspace: new MemoryFilesystem(),
    });
    expect([asked, prepared]).toEqual([2, 1]);
    const workspace = new MemoryFilesystem();
    const again = await runAgent(agent, { ...job, adapter: notesModel('bees'), workspace });
    expect([asked, prepared]).toEqual([2, 1]);
    expect(again).toMatchObject({ output: once.output, runId: 'job-17', conclusion: once.conclusion });
    expect((await workspace.read('NOTES.md')).text).toBe('bees\n');
  });

  it('continues after it has failed, from what it was', async () => {
    const journal = memoryJournal();
    const agent = defineAgent({ template: bareTemplate });
    const job = { journal, runId: 'r', input: 'Hi.', retry: false } as const;
    const failing = scriptedAdapter(() => {
      throw new Error('down');
    });
    await expect(runAgent(agent, { ...job, adapter: failing })).rejects.toThrow(/down/);
    const adapter = scriptedAdapter([{ text: 'Hello.' }]);
    const other = runAgent(agent, { ...job, adapter, input: 'Not this.' });
    await expect(other).rejects.toMatchObject({ code: 'run-known-otherwise' });
    const run = await runAgent(agent, { ...job, adapter });
    expect(run.text).toBe('Hello.');
    expect(run.conversation[0]).toMatchObject({ content: [{ text: 'Hi.' }] });
  });

  it('waits for its answers, and continues with them', async () => {
    const journal = memoryJournal();
    const agent = defineAgent({ template: guarded });
    let applied = 0;
    const workspace = {
      filesystem: new MemoryFilesystem(),
      apply: async () => {
        applied += 1;
        return { kind: 'applied' } as const;
      },
    };
    const approve = suspendApproval();
    const job = { journal, runId: 'r', approve, workspace };
    const model = () => scriptedAdapter([call, { text: 'Done.' }]);
    const waiting = await runAgent(agent, { ...job, adapter: model() });
    if (waiting.finishReason !== 'suspended') throw new Error('It waits.');
    expect(waiting).toMatchObject({ runId: 'r', application: { kind: 'kept' } });
    const same = await runAgent(agent, { ...job, adapter: model() });
    expect(same.finishReason === 'suspended' && same.pending).toEqual(waiting.pending);
    expect(applied).toBe(0);
    const answers = waiting.pending.map(({ id, digest }) => ({ id, digest, approved: true, by: 'ada' }));
    const done = await runAgent(agent, { ...job, adapter: model(), answers });
    expect(done).toMatchObject({ text: 'Done.', application: { kind: 'applied' } });
    expect(applied).toBe(1);
  });

  it('is streamed when it continues', async () => {
    const journal = memoryJournal();
    const agent = defineAgent({ template: guarded });
    const job = { journal, runId: 'r', approve: suspendApproval() };
    const model = () => scriptedAdapter([call, { text: 'Done.' }]);
    const waiting = await runAgent(agent, { ...job, adapter: model() });
    if (waiting.finishReason !== 'suspended') throw new Error('It waits.');
    const answers = waiting.pending.map(({ id, digest }) => ({ id, digest, approved: true }));
    await answerApprovals({ journal, runId: 'r', answers });
    const types: string[] = [];
    for await (const event of streamAgent(agent, { ...job, adapter: model() })) {
      types.push(event.type);
      if (event.type === 'run-result') expect(event.response).toMatchObject({ text: 'Done.', runId: 'r' });
    }
    expect(types).toContain('run-resumed');
    expect(types).toContain('text-delta');
    expect(types.at(-1)).toBe('run-result');
  });

  it('refuses answers where there is nothing to answer, and a run that another one holds', async () => {
    const journal = memoryJournal();
    const agent = defineAgent({ template: bareTemplate });
    const adapter = scriptedAdapter([{ text: 'Hello.' }]);
    const answers = [{ id: 'x', digest: 'x', approved: true }];
    await expect(runAgent(agent, { adapter, journal, runId: 'r', answers })).rejects.toMatchObject({
      details: { option: 'answers' },
    });
    const failing = scriptedAdapter(() => {
      throw new Error('down');
    });
    await expect(runAgent(agent, { adapter: failing, journal, runId: 'r', retry: false })).rejects.toThrow(
      /down/,
    );
    const sessionId = (await journal.runs())[0]?.sessionId ?? '';
    const lease = await journal.acquire(sessionId);
    const refused = await runAgent(agent, { adapter, journal, runId: 'r' }).catch((error: unknown) => error);
    expect(SessionBusyError.isInstance(refused)).toBe(true);
    await lease.release();
  });
});
