import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import type { CliEnvironment } from '../../../../src/cli/process/environment.ts';
import { sayCommand } from '../../../../src/cli/runs/say-command.ts';
import { addHeldRun, addRun, MemoryJournals } from '../journal/journals.ts';
import { fakeEnvironment } from '../support.ts';

let journals: MemoryJournals;

async function say(argv: readonly string[], given: Partial<CliEnvironment> = {}): Promise<string> {
  const request = readArguments(['say', ...argv]);
  if (request.kind !== 'say') throw new Error(JSON.stringify(request));
  const environment = fakeEnvironment();
  const parts = { journals, clock: { now: () => 7 } };
  expect(await sayCommand(request, { ...environment, ...given }, parts)).toBe(0);
  expect(journals.opened).toBe(0);
  return environment.stdout.text();
}

const refusal = (...argv: readonly string[]): Promise<string> =>
  say(argv).then(
    () => 'not refused',
    (error: Error) => `${error.constructor.name}: ${error.message}`,
  );

const messages = (runId: string) => journals.journal().messages(runId);
const item = (text: string) => ({ type: 'user', content: [{ type: 'text', text }] });

beforeEach(() => {
  journals = new MemoryJournals();
});

describe('wink say', () => {
  it('leaves a message for a run that works, with who said it', async () => {
    const lease = await addHeldRun(journals.journal(), 'one', {});
    expect(await say(['one', 'Use blue.', '--by', 'ann', '--id', 'm1'])).toBe(
      'said to the run one; 1 message now waits\n',
    );
    expect(await say(['last', 'And green.'])).toBe('said to the run one; 2 messages now wait\n');
    expect(await messages('one')).toEqual([
      { id: 'm1', kind: 'say', atMs: 7, by: 'ann', item: item('Use blue.') },
      { id: expect.any(String), kind: 'say', atMs: 7, item: item('And green.') },
    ]);
    await lease.release();
  });

  it('says when a run that no process works on takes it', async () => {
    await addRun(journals.journal(), 'asks', { status: 'suspended', pending: 1 });
    await addRun(journals.journal(), 'lost');
    expect(await say(['asks', 'x'])).toBe(
      'said to the run asks; 1 message now waits, and the run waits for answers: wink approvals list\n',
    );
    expect(await say(['lost', 'x'])).toBe(
      'said to the run lost; 1 message now waits, and no process has the run: wink resume lost\n',
    );
  });

  it('takes the text from a file, or from the standard input', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wink-'));
    const file = join(folder, 'said.md');
    writeFileSync(file, 'Use blue.\n');
    await addRun(journals.journal(), 'one');
    await say(['one', `@${file}`]);
    await say(['one', '-'], { input: Readable.from([Buffer.from('And '), Buffer.from('green.')]) });
    await say(['one', '@@home']);
    expect(
      (await messages('one')).map((message) => (message.kind === 'say' ? message.item : undefined)),
    ).toEqual([item('Use blue.\n'), item('And green.'), item('@home')]);
    rmSync(folder, { recursive: true });
  });

  it('is refused for a run that takes nothing', async () => {
    const journal = journals.journal();
    await addRun(journal, 'done', { status: 'finished' });
    await addRun(journal, 'served', { isToolRuntime: true });
    expect(await refusal('done', 'x')).toBe(
      'UsageError: the run "done" has ended, and reads nothing more. To continue it: wink resume done --input TEXT.',
    );
    expect(await refusal('served', 'x')).toBe(
      'UsageError: The run "served" is that of a tool runtime: the model is in another program. Say it there.',
    );
    expect(await refusal('nine', 'x')).toMatch(/^UsageError: the journal has no run "nine"/);
    await addRun(journal, 'one');
    expect(await refusal('one', 'x'.repeat(20_001))).toMatch(
      /^UsageError: sayToRun\(\): input has 20001 characters/,
    );
    expect(await refusal('one', '-')).toMatch(
      /^UsageError: TEXT - reads the standard input, which is a terminal/,
    );
    expect(await messages('one')).toEqual([]);
  });

  it('names what is missing of its words', () => {
    const messageOf = (...argv: readonly string[]) => {
      const request = readArguments(['say', ...argv]);
      return request.kind === 'usage-error' ? request.message : '';
    };
    expect(messageOf()).toBe('no run given: wink say RUN TEXT; "wink runs" lists them.');
    expect(messageOf('one')).toBe('say what the run is to read: wink say RUN TEXT.');
    expect(messageOf('one', '')).toBe('say what the run is to read: wink say RUN TEXT.');
    expect(messageOf('one', 'Use', 'blue.')).toBe(
      'wink say takes RUN, TEXT: 2 at most, not 3. Put the text in quotes.',
    );
  });
});
