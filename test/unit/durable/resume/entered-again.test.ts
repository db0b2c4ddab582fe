import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  type JournalBatch,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  type RunEvent,
  resumeRun,
  section,
  suspendApproval,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

const to = z.object({ to: z.string() });

/** A lead that delegates to an agent, which sends two mails in turns of its own. */
function leadOf(sent: string[], policies: readonly ToolPolicy[] = []): Prompt {
  const send = tool({
    name: 'send',
    description: 'Sends a mail.',
    effects: 'external',
    inputSchema: to,
    execute: (params) => {
      sent.push(params.to);
      return ToolResult.ok(null, `Sent to ${params.to}.`);
    },
  });
  const mailer = promptTemplate({
    ns: 'test',
    key: 'mailer',
    output: z.object({ count: z.number() }),
    policies,
    sections: [
      section({
        title: 'Mails',
        key: 'mails',
        params: to,
        template: ({ to: name }) => `Mail ${name}.`,
        tools: [send],
      }),
    ],
  });
  const delegate = agentTool({
    name: 'delegate',
    description: 'Has mails sent.',
    inputSchema: to,
    template: mailer,
  });
  return promptTemplate({
    ns: 'test',
    key: 'lead',
    sections: [section({ title: 'Task', key: 'task', template: 'Lead.', tools: [delegate] })],
  }).bind();
}

/** The model of both; `asked` gets who asks in which turn. */
function modelOf(asked: string[]): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter((_conversation, { instructions, turn }) => {
    const isInner = instructions.includes('Mail ann.');
    asked.push(`${isInner ? 'mailer' : 'lead'} ${turn}`);
    const usage = { inputTokens: 10, outputTokens: 1 };
    if (!isInner)
      return turn === 1
        ? { toolCalls: [{ name: 'delegate', arguments: { to: 'ann' } }], usage }
        : { text: 'done', usage };
    if (turn === 3) return { text: '{"count":2}', usage };
    return { toolCalls: [{ name: 'send', arguments: { to: turn === 1 ? 'ann' : 'bob' } }], usage };
  });
}

async function whole(): Promise<readonly JournalBatch[]> {
  const journal = watchedJournal();
  await modelOf([]).evaluate(leadOf([]), { journal, runId: 'run' });
  return journal.batches;
}

const sessionOf = async (batches: readonly JournalBatch[]): Promise<string> => {
  const [header] = batches[0]?.rows ?? [];
  return (JSON.parse(header?.line ?? '{}') as { sessionId: string }).sessionId;
};

describe('a call that is entered again', () => {
  it('does nothing twice, whenever the run was interrupted, and pays for no answer twice', async () => {
    const batches = await whole();
    for (let count = 1; count < batches.length; count += 1) {
      const rows = batches.slice(0, count).flatMap((batch) => batch.rows);
      const journal = await journalAfter(batches.slice(0, count), await sessionOf(batches));
      const sent: string[] = [];
      const asked: string[] = [];
      const end = await resumeRun({ adapter: modelOf(asked), journal, runId: 'run', prompt: leadOf(sent) });
      const before = (type: string, isInner: boolean): number =>
        rows.filter((row) => row.type === type && row.line.includes('"run":1,') === isInner).length;
      const said = JSON.stringify(end.conversation);
      expect(end.finishReason, `after ${count}`).toBe('stop');
      // A mail whose call had begun is not sent again.
      expect(sent.length).toBe(2 - before('begin', true));
      expect(asked.length, `after ${count}: ${asked.join()}`).toBe(
        5 - before('response', true) - before('response', false),
      );
      expect(end.usage.inputTokens, said).toBe(50);
    }
  });

  it('begins the turn that it continues in for observers, whenever the run was interrupted', async () => {
    const batches = await whole();
    for (let count = 1; count < batches.length; count += 1) {
      const journal = await journalAfter(batches.slice(0, count), await sessionOf(batches));
      const begun = new Set<string>();
      const orphans: string[] = [];
      const onEvent = (inner: RunEvent): void => {
        const path = inner.path.map(({ callId }) => `${callId}/`).join('');
        if (inner.type === 'turn-start') begun.add(`${path}${inner.turn}`);
        if (inner.type === 'model-call-start') begun.add(`${path}${inner.turn} model`);
        const needs =
          inner.type === 'model-call-end'
            ? `${path}${inner.turn} model`
            : inner.type === 'tool-call-start'
              ? `${path}${inner.turn}`
              : undefined;
        if (needs !== undefined && !begun.has(needs)) orphans.push(`${inner.type} without ${needs}`);
        if (inner.type === 'model-call-end') begun.delete(`${path}${inner.turn} model`);
        if (inner.type === 'run-end')
          orphans.push(...[...begun].filter((name) => name.endsWith('model') && name.startsWith(path)));
      };
      const resume = { adapter: modelOf([]), journal, runId: 'run', prompt: leadOf([]) };
      await resumeRun({ ...resume, observers: [{ onEvent }] });
      expect(orphans, `after ${count}`).toEqual([]);
    }
  });

  it('counts answers of a call that is made anew against the budget', async () => {
    const batches = await whole();
    const last = batches.findIndex(({ rows }) =>
      rows.some((row) => row.type === 'response' && row.line.includes('"run":1,')),
    );
    const journal = await journalAfter(batches.slice(0, last + 1), await sessionOf(batches));
    const asked: string[] = [];
    const run = resumeRun({
      adapter: modelOf(asked),
      journal,
      runId: 'run',
      prompt: leadOf([]),
      limits: { budget: { maxInputTokens: 35 } },
    });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-budget-exceeded' });
    expect(asked).toEqual(['mailer 2']);
  });
});

describe('a question inside an agent', () => {
  const asks: ToolPolicy = {
    name: 'asks',
    check: ({ params }) =>
      to.parse(params).to === 'bob' ? PolicyDecision.ask('Mail bob?') : PolicyDecision.allow(),
  };

  it('suspends the run, and its answer continues inside', async () => {
    const journal = watchedJournal();
    const sent: string[] = [];
    const suspended = await modelOf([]).evaluate(leadOf(sent, [asks]), {
      journal,
      runId: 'run',
      approve: suspendApproval(),
    });
    if (suspended.finishReason !== 'suspended') throw new Error('It was not suspended.');
    expect(sent).toEqual(['ann']);
    expect(suspended.pending).toMatchObject([
      { toolName: 'send', params: { to: 'bob' }, path: [{ toolName: 'delegate', promptName: 'mailer' }] },
    ]);
    await answerApprovals({
      journal,
      runId: 'run',
      answers: suspended.pending.map(({ id, digest }) => ({ id, digest, approved: true })),
    });
    const asked: string[] = [];
    const end = await resumeRun({
      adapter: modelOf(asked),
      journal,
      runId: 'run',
      prompt: leadOf(sent, [asks]),
    });
    expect(end).toMatchObject({ finishReason: 'stop', text: 'done' });
    expect(sent).toEqual(['ann', 'bob']);
    expect(asked).toEqual(['mailer 3', 'lead 2']);
  });

  it('in a handler of its own is denied, and says so', async () => {
    const template = promptTemplate({
      ns: 'test',
      key: 'inner',
      policies: [{ name: 'asks', check: () => PolicyDecision.ask('Really?') }],
      sections: [
        section({
          title: 'In',
          key: 'in',
          template: 'Inner.',
          tools: [
            tool({ name: 'act', description: 'Acts.', effects: 'state', execute: () => ToolResult.ok(null) }),
          ],
        }),
      ],
    });
    const outer = tool({
      name: 'outer',
      description: 'Evaluates.',
      effects: 'state',
      execute: async (_params, { adapter }) => {
        const { conversation } = await adapter.evaluate(template.bind());
        return ToolResult.ok(conversation.find(({ type }) => type === 'tool-result'));
      },
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'outer',
      sections: [section({ title: 'Task', key: 'task', template: 'Lead.', tools: [outer] })],
    }).bind();
    const adapter = scriptedAdapter((_conversation, { instructions, turn }) =>
      turn === 1
        ? { toolCalls: [{ name: instructions.includes('Inner.') ? 'act' : 'outer' }] }
        : { text: 'done' },
    );
    const end = await adapter.evaluate(prompt, { journal: watchedJournal(), approve: suspendApproval() });
    expect(JSON.stringify(end.conversation)).toContain('only calls of the run itself can wait for an answer');
  });
});
