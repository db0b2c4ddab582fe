import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  binding,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  resumeRun,
  section,
  suspendApproval,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { exportRecord, type RunRecord, readRunRecord } from 'weakincentives/record';
import { createManualClock, type ManualClock, scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { type WatchedJournal, watchedJournal } from '../../../support/journals.ts';

const before: ToolPolicy = { name: 'before', check: () => PolicyDecision.ask('Really?') };
const after: ToolPolicy = { name: 'after', checkChanges: () => PolicyDecision.ask('Is this right?') };

const note = z.object({ text: z.string() });
const write = tool({
  name: 'write',
  description: 'Writes.',
  inputSchema: note,
  execute: async ({ text }, { filesystem }) => {
    await filesystem.write(`${text}.md`, text);
    return ToolResult.ok(null, 'Written.');
  },
});

function promptOf(policies: readonly ToolPolicy[], isInside: boolean, files: MemoryFilesystem): Prompt {
  const inside = promptTemplate({
    ns: 'test',
    key: 'inside',
    policies,
    sections: [
      section({
        title: 'In',
        key: 'in',
        params: note,
        template: ({ text }) => `Inside: ${text}.`,
        tools: [write],
      }),
    ],
  });
  const delegate = agentTool({
    name: 'delegate',
    description: 'Delegates.',
    inputSchema: note,
    template: inside,
  });
  const tools = isInside ? [delegate] : [write];
  return promptTemplate({
    ns: 'test',
    key: 'asking',
    policies: isInside ? [] : policies,
    resources: [binding(Filesystem, { instance: files })],
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools })],
  }).bind();
}

const model = (name: string, count: number): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((_conversation, { instructions, turn }) => {
    if (turn > 1) return { text: 'done' };
    if (instructions.includes('Inside: a.'))
      return { toolCalls: [{ name: 'write', arguments: { text: 'a' } }] };
    return { toolCalls: ['a', 'b'].slice(0, count).map((text) => ({ name, arguments: { text } })) };
  });

interface Asking {
  readonly policies: readonly ToolPolicy[];
  readonly isInside?: boolean;
  readonly calls?: number;
}

/** A run that ends with each question; a minute later it is answered, and another minute later the run continues. */
class AskingRun {
  readonly #journal: WatchedJournal = watchedJournal();
  readonly #clock: ManualClock = createManualClock();
  readonly #prompt: () => Prompt;
  readonly #adapter: ReturnType<typeof scriptedAdapter>;

  constructor({ policies, isInside = false, calls = 1 }: Asking) {
    const files = new MemoryFilesystem();
    this.#prompt = () => promptOf(policies, isInside, files);
    this.#adapter = model(isInside ? 'delegate' : 'write', calls);
  }

  async suspend(): Promise<void> {
    const options = { journal: this.#journal, runId: 'run', approve: suspendApproval(), clock: this.#clock };
    await this.#adapter.evaluate(this.#prompt(), options);
  }

  /** @returns how many questions were answered. */
  async answer(approved = true): Promise<number> {
    this.#clock.advance(60_000);
    const [run] = await this.#journal.runs();
    const pending = run?.pending ?? 0;
    const { pending: questions } = await readQuestions(this.#journal);
    const answers = questions.slice(-pending).map(({ id, digest }) => ({ id, digest, approved }));
    await answerApprovals({ journal: this.#journal, runId: 'run', answers, clock: this.#clock });
    return pending;
  }

  async resume(): Promise<void> {
    this.#clock.advance(60_000);
    const options = { adapter: this.#adapter, journal: this.#journal, runId: 'run', clock: this.#clock };
    await resumeRun({ ...options, prompt: this.#prompt(), approve: suspendApproval() });
  }

  /** Answers and resumes until nothing is asked any more. */
  async finish(approved?: boolean): Promise<RunRecord> {
    await this.suspend();
    while (((await this.#journal.runs())[0]?.pending ?? 0) > 0) {
      await this.answer(approved);
      await this.resume();
    }
    return this.record();
  }

  record(): Promise<RunRecord> {
    return readRunRecord(exportRecord({ journal: this.#journal, runId: 'run' }));
  }
}

interface Question {
  readonly id: string;
  readonly digest: string;
}

async function readQuestions(journal: WatchedJournal): Promise<{ readonly pending: readonly Question[] }> {
  const rows = (await journal.read('run')).filter(({ type }) => type === 'pending');
  return {
    pending: (JSON.parse(rows.at(-1)?.line ?? '{"questions":[]}') as { questions: Question[] }).questions,
  };
}

const attemptsOf = ({ calls }: RunRecord) =>
  calls.map(({ callId, attempts }) => [
    callId,
    ...attempts.map(({ number, outcome, isSuspended, phases: { approvals } }) => {
      const waited = approvals.map(({ fromMs, toMs }) => toMs - fromMs);
      return [number, isSuspended === true ? 'suspended' : outcome, ...waited];
    }),
  ]);

describe('attempts in a run that was resumed', () => {
  it.each([
    [
      'one question before the call',
      { policies: [before] },
      [
        [1, 'suspended', 60_000],
        [2, 'committed'],
      ],
    ],
    [
      'one question about changes',
      { policies: [after] },
      [
        [1, 'suspended', 60_000],
        [2, 'committed'],
      ],
    ],
    [
      'a question before it and one about its changes',
      { policies: [before, after] },
      [
        [1, 'suspended', 60_000],
        [2, 'suspended', 60_000],
        [3, 'committed'],
      ],
    ],
  ])('are numbered through, and have the waits: %s', async (_name, asking, attempts) => {
    const record = await new AskingRun(asking).finish();
    expect(attemptsOf(record)).toEqual([['call-1-1', ...attempts]]);
    const lives = attempts.length - 1;
    expect(record.pauses.map(({ fromMs, toMs }) => toMs - fromMs)).toEqual(
      Array.from({ length: lives }, () => 120_000),
    );
    // One thing each that cost time, and none that says that something changed.
    expect(
      record.problems.map(({ kind, text, count, durationMs }) => [kind, text, count, durationMs]),
    ).toEqual([
      [
        'approval-wait',
        expect.stringMatching(/^write waited for an approval that .* asked for\.$/),
        lives,
        lives * 60_000,
      ],
    ]);
  });

  it('are numbered through when the answer is no', async () => {
    const record = await new AskingRun({ policies: [before], calls: 2 }).finish(false);
    expect(attemptsOf(record)).toEqual([
      ['call-1-1', [1, 'suspended', 60_000], [2, 'denied']],
      ['call-1-2', [1, 'suspended', 60_000], [2, 'denied']],
    ]);
  });

  it('wait also for a call inside them', async () => {
    const record = await new AskingRun({ policies: [after], isInside: true }).finish();
    expect(attemptsOf(record)).toEqual([
      ['call-1-1', [1, 'suspended', 60_000], [2, 'committed']],
      ['call-1-1', [1, 'suspended', 60_000], [2, 'committed']],
    ]);
    // The evaluation continued in the second attempt, whose commit took it in.
    expect(record.runs[1]?.parent?.attempt).toBe(2);
    expect(record.calls.map(({ isFinal }) => isFinal)).toEqual([true, true]);
  });

  it('wait for as long as nobody has answered, and no longer', async () => {
    const run = new AskingRun({ policies: [after] });
    await run.suspend();
    const asked = await run.record();
    expect(attemptsOf(asked)).toEqual([['call-1-1', [1, 'suspended']]]);
    expect(asked.problems.map(({ text }) => text)).toEqual([
      'The run ended with a question that after asked about write: Is this right?',
    ]);
    await run.answer();
    const answered = await run.record();
    expect(attemptsOf(answered)).toEqual([['call-1-1', [1, 'suspended', 60_000]]]);
    expect(answered.problems.map(({ text }) => text)).toEqual(['write waited for an approval.']);
    expect(answered.pauses).toEqual([]);
  });

  it.each([
    ['has the wait as its own', (approvals: unknown) => approvals],
    ['was not asked about', () => []],
  ])('wait for an answer from one life to the next, where the attempt after it %s', async (_name, change) => {
    const journal = watchedJournal();
    const clock = createManualClock();
    await model('write', 1).evaluate(promptOf([before], false, new MemoryFilesystem()), {
      journal,
      runId: 'run',
      clock,
      approve: async () => {
        clock.advance(5_000);
        return true;
      },
    });
    const lines = (await journal.read('run')).map(({ line }) => line);
    // The process was killed while it asked; someone has answered, and the run continued.
    const answer = lines.findIndex((line) => line.startsWith('{"type":"answer"'));
    const resumed = JSON.stringify({ type: 'resumed', t: 5_000, atMs: 1_005_000, turn: 1, changed: [] });
    const rest = lines.slice(answer + 1).map((line) => {
      const row = JSON.parse(line);
      if (row.type === 'commit') row.phases.approvals = change(row.phases.approvals);
      return JSON.stringify(row);
    });
    const record = await readRunRecord([...lines.slice(0, answer + 1), resumed, ...rest]);
    expect(attemptsOf(record)).toEqual([['call-1-1', [1, 'committed', 5_000]]]);
    expect(attemptsOf(await readRunRecord(lines))).toEqual(attemptsOf(record));
  });
});
