import { beforeEach, describe, expect, it } from 'vitest';
import { answerApprovals, pendingApprovals } from 'weakincentives';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { journalWithInfo } from '../../../../src/cli/journal/run-info.ts';
import { approvalsCommand } from '../../../../src/cli/runs/approvals-command.ts';
import { addRun, keptRequest, MemoryJournals } from '../journal/journals.ts';
import { eventsOf, fakeEnvironment } from '../support.ts';
import { suspend, write } from './suspended.ts';

let journals: MemoryJournals;
let nowMs: number;

async function approvals(...argv: readonly string[]): Promise<string> {
  const request = readArguments(['approvals', ...argv]);
  if (request.kind !== 'approvals') throw new Error(JSON.stringify(request));
  const environment = fakeEnvironment();
  try {
    expect(await approvalsCommand(request, environment, { journals, clock: { now: () => nowMs } })).toBe(0);
  } finally {
    expect(journals.opened).toBe(0);
  }
  return environment.stdout.text();
}

const openIds = async (): Promise<readonly string[]> =>
  (await pendingApprovals({ journal: journals.journal(), runId: 'one' })).map(({ id }) => id);

beforeEach(() => {
  journals = new MemoryJournals();
  nowMs = 120_000;
});

describe('wink approvals list', () => {
  it('is empty without a journal, and with runs that wait for nothing', async () => {
    expect(await approvals()).toBe('no run waits for an answer.\n');
    await addRun(journals.journal(), 'other', { status: 'finished' });
    expect(await approvals('list')).toBe('no run waits for an answer.\n');
    expect(await approvals('list', '--json')).toBe('');
  });

  it('has each suspended run with its questions and the lines that answer them', async () => {
    const [first, second] = await suspend(
      journals.journal(),
      [write('a.md', 'new\nkept\nlast\n'), write('b\u001b.md', 'b\n')],
      { reason: 'Is this\nright\u001b?', expiresMs: 3_600_000 },
    );
    const [one, two] = [first?.digest.slice(0, 8), second?.digest.slice(0, 8)];
    expect(await approvals('list')).toBe(
      [
        'one: writer, 1970-01-01T00:01Z, 2 of 2 open',
        '1. write_file has run and wants to commit its changes',
        '   Is this',
        '   right<U+001B>?',
        '   expires 1970-01-01T01:01Z',
        '   arguments: {"file_path":"a.md","content":"new\\nkept\\nlast\\n"}',
        '   a.md modified (+2 -1)',
        ...['--- a/a.md', '+++ b/a.md', '@@ -1,2 +1,3 @@', '-old', '+new', ' kept', '+last'].map(
          (line) => `     ${line}`,
        ),
        `   wink approvals answer one ${one} --yes`,
        `   wink approvals answer one ${one} --no`,
        '2. write_file wants to run',
        '   Is this',
        '   right<U+001B>?',
        '   expires 1970-01-01T01:01Z',
        '   arguments: {"file_path":"b\\u001b.md","content":"b\\n"}',
        `   wink approvals answer one ${two} --yes`,
        `   wink approvals answer one ${two} --no`,
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['a long value', write('b.md', `${'x'.repeat(400)}\n`)],
    ['a long diff', write('b.md', 'x\n'.repeat(30))],
  ])('has no line that says yes below %s that is not all there', async (_, call) => {
    const [first] = await suspend(journals.journal(), [call]);
    const name = first?.digest.slice(0, 8);
    const listed = await approvals('list');
    expect(listed).not.toContain('--yes');
    expect(listed).toContain(
      `   to see all of it: wink approvals show one ${name}\n   wink approvals answer one ${name} --no\n`,
    );
    const shown = await approvals('show', 'one');
    expect(shown).toContain(`   wink approvals answer one ${name} --yes\n`);
  });

  it('says as JSON what is asked and answered, without the contents of files', async () => {
    const [first] = await suspend(journals.journal(), [write('b.md', 'b\n')]);
    await approvals('answer', 'one', '--no', '--by', 'ann', '--note', 'Not today.');
    const { changes: _changes, key: _key, ...question } = first ?? {};
    expect(eventsOf(await approvals('--json'))).toEqual([
      {
        runId: 'one',
        sessionId: expect.any(String),
        promptName: 'writer',
        updatedAtMs: 120_000,
        questions: [
          {
            number: 1,
            ...question,
            changes: [{ path: 'b.md', kind: 'created', entry: 'file', addedLines: 1, removedLines: 0 }],
            answer: { approved: false, by: 'ann', note: 'Not today.' },
          },
        ],
      },
    ]);
  });
});

describe('wink approvals show', () => {
  it('has all arguments and the diff, safe to print', async () => {
    const [first] = await suspend(journals.journal(), [write('a.md', 'new\u202e\nkept\n')]);
    const shown = await approvals('show', 'one');
    expect(shown).toContain(
      `   id:        one/2/${first?.callId}/1/reviews/changes\n   digest:    ${first?.digest}\n`,
    );
    expect(shown).toContain(
      '   arguments:\n     file_path: a.md\n     content:\n       new<U+202E>\n       kept\n',
    );
    expect(shown).toContain('--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n-old\n+new<U+202E>\n kept\n');
    expect(shown).toContain(`   wink approvals answer one ${first?.digest.slice(0, 8)} --yes\n`);
  });

  it('is a line of JSON with --json, of one question or of all', async () => {
    const asked = await suspend(journals.journal(), [write('a.md', 'a\n'), write('b.md', 'b\n')]);
    const digests = asked.map(({ digest }) => digest);
    expect(eventsOf(await approvals('show', 'last', '--json'))).toMatchObject([
      {
        runId: 'one',
        questions: [
          { number: 1, digest: digests[0] },
          { number: 2, digest: digests[1] },
        ],
      },
    ]);
    const [one] = eventsOf(await approvals('show', 'one', '2', '--json'));
    expect(one?.['questions']).toMatchObject([{ number: 2, digest: digests[1] }]);
  });

  it('can be that of one question', async () => {
    await suspend(journals.journal(), [write('a.md', 'x\n'), write('b.md', 'b\n')]);
    const shown = await approvals('show', 'one', '2');
    expect(shown).toContain('   The call has not run yet.\n');
    expect(shown).not.toContain('a.md');
  });
});

describe('wink approvals answer', () => {
  it('answers the only question, and says how the run continues', async () => {
    await suspend(journals.journal(), [write('b.md', 'b\n')]);
    const said = await approvals('answer', 'one', '--yes', '--by', 'ann');
    expect(said).toMatch(/^1\. write_file has run/);
    expect(said).toContain('   b.md created (+1)\n   answered yes by ann\n');
    expect(said).toMatch(/\nto continue the run: resume it with the program that began it\n$/);
    expect(await openIds()).toEqual([]);
    expect(await approvals('answer', 'one', '1', '--yes')).toContain('answered yes by ann');
    expect(await approvals('list')).toContain('one: writer, 1970-01-01T00:02Z, 0 of 1 open\n');
  });

  it('takes a number, the beginning of a digest, or that of an id, and keeps the numbers of the others', async () => {
    const calls = ['a', 'b', 'c'].map((name) => write(`${name}.md`, 'x\n'));
    const asked = await suspend(journals.journal(), calls);
    expect(await approvals('answer', 'one', '1', '--yes')).toContain('\n2 more questions open: 2 (');
    expect(await approvals('answer', 'one', asked[1]?.digest.slice(0, 6) ?? '', '--no')).toContain(
      'answered no\n',
    );
    expect(await openIds()).toEqual([asked[2]?.id]);
    await approvals('answer', 'one', asked[2]?.id.slice(0, -3) ?? '', '--yes');
    expect(await openIds()).toEqual([]);
    await expect(approvals('answer', 'one', '--yes')).rejects.toThrow(
      'all questions of the run are answered.',
    );
  });

  it('answers all of them with --all', async () => {
    await suspend(journals.journal(), [write('a.md', 'x\n'), write('b.md', 'b\n')]);
    expect(await approvals('answer', 'one', '--all', '--no', '--note', 'No.')).toContain(
      'answered no: No.\n2. write_file',
    );
    expect(await openIds()).toEqual([]);
  });

  it('names questions that ask the same by their ids', async () => {
    const calls = [write('a.md', 'x\n'), write('b.md', 'b\n'), write('b.md', 'b\n')];
    const asked = await suspend(journals.journal(), calls);
    expect(asked[1]?.digest).toBe(asked[2]?.digest);
    expect(await approvals('list')).toContain(`wink approvals answer one ${asked[2]?.id} --yes\n`);
    await expect(approvals('answer', 'one', asked[1]?.digest ?? '', '--yes')).rejects.toThrow(
      'is the beginning of several questions',
    );
  });

  it.each([
    [
      'several questions',
      ['one'],
      /several questions; name one, or use --all: 1 \(\w{8}, write_file\), 2 \(/,
    ],
    ['an unknown question', ['one', '3'], /does not ask "3"; it has 2 questions: 1 \(/],
    ['an ambiguous one', ['one', 'one/2'], /"one\/2" is the beginning of several questions: 1 \(/],
    ['an unknown run', ['none'], /the journal has no run "none": wink runs lists those/],
  ])('refuses %s', async (_what, names, message) => {
    await suspend(journals.journal(), [write('a.md', 'x\n'), write('b.md', 'b\n')]);
    await expect(approvals('answer', ...names, '--yes')).rejects.toThrow(message);
    expect(await openIds()).toHaveLength(2);
  });

  it('refuses what was answered otherwise, and what has expired', async () => {
    const asked = await suspend(journals.journal(), [write('a.md', 'x\n'), write('b.md', 'b\n')], {
      expiresMs: 60_000,
    });
    const [{ id, digest } = { id: '', digest: '' }] = asked;
    const answers = [{ id, digest, approved: true }];
    await answerApprovals({ journal: journals.journal(), runId: 'one', answers, clock: { now: () => 0 } });
    await expect(approvals('answer', 'one', '1', '--no')).rejects.toThrow('answered with yes before');
    await expect(approvals('answer', 'one', '2', '--yes')).rejects.toThrow('the question has expired');
    await expect(approvals('answer', 'one', '--all', '--yes')).rejects.toThrow('have expired');
    expect(await approvals('list')).toContain('   expired 1970-01-01T00:02Z: the call is denied\n');
  });

  it('refuses a run that is running, and one that is not suspended', async () => {
    const journal = journals.journal();
    await suspend(journal, [write('b.md', 'b\n')]);
    const lease = await journal.acquire((await journal.runs())[0]?.sessionId ?? '');
    await expect(approvals('answer', 'one', '--yes')).rejects.toThrow('the run "one" is still running.');
    await lease.release();
    expect(await openIds()).toHaveLength(1);
    await addRun(journal, 'other', { status: 'finished' });
    await expect(approvals('show', 'other')).rejects.toThrow(
      'the run "other" has no questions: it is finished.',
    );
    await addRun(journal, 'busy');
    const busy = await journal.acquire('s-busy');
    await expect(approvals('show', 'busy')).rejects.toThrow('the run "busy" is still running.');
    await busy.release();
  });
});

describe('wink approvals answer --resume', () => {
  const info = { request: keptRequest('run', '/agents/demo.ts', '--params={}'), isApplied: false };

  async function answer(...argv: readonly string[]) {
    const request = readArguments(['approvals', 'answer', ...argv, '--resume']);
    if (request.kind !== 'approvals') throw new Error(JSON.stringify(request));
    const environment = fakeEnvironment();
    const resumed: string[] = [];
    const code = await approvalsCommand(request, environment, {
      journals,
      clock: { now: () => nowMs },
      resume: async ({ kind, runId }) => {
        // The journal is free.
        expect([kind, journals.opened]).toEqual(['resume', 0]);
        resumed.push(runId);
        return 3;
      },
    });
    return { code, resumed, printed: environment.stdout.text() };
  }

  it('continues once no question is open, with the exit code of the run', async () => {
    const journal = journalWithInfo(journals.journal(), info);
    await suspend(journal, [write('a.md', 'a\n'), write('b.md', 'b\n')]);
    const first = await answer('last', '1', '--yes');
    expect([first.code, first.resumed]).toEqual([4, []]);
    expect(first.printed).toContain('1 more question open: 2 (');
    const second = await answer('one', '2', '--no');
    expect([second.code, second.resumed]).toEqual([3, ['one']]);
    expect(second.printed).not.toContain('to continue the run');
  });

  it('is refused for a run of another program, before the answer is kept', async () => {
    await suspend(journals.journal(), [write('b.md', 'b\n')]);
    await expect(answer('one', '--yes')).rejects.toThrow(
      'the run "one" was not begun by wink run: resume it with the program that began it.',
    );
    expect(await openIds()).toHaveLength(1);
  });
});

describe('the arguments', () => {
  it.each([
    [['none'], 'unknown action "none" of wink approvals; it has list, show, answer.'],
    [['list', 'one'], 'leave the name out'],
    [['show'], 'name a run'],
    [['show', 'one', '1', '2'], 'wink approvals takes ACTION, RUN, ID: 3 at most, not 4.'],
    [['list', '--resume'], '--resume is not an option of wink approvals list.'],
    [['answer', 'one'], 'say what the answer is: --yes or --no.'],
    [['answer', 'one', '--yes', '--no'], 'say what the answer is: --yes or --no.'],
    [['answer', 'one', '1', '--all', '--yes'], 'not both.'],
    [['answer', 'one', '--yes', '--note='], '--note is empty.'],
  ])('%j are refused', (argv, message) => {
    expect(readArguments(['approvals', ...argv])).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining(message),
    });
  });
});
