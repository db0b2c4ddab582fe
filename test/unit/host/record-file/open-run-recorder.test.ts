import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FilesystemError, ToolResult } from 'weakincentives';
import { openRunRecorder } from 'weakincentives/node';
import { readRunRecord } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { act } from '../../../support/act.ts';
import { promptOf } from '../../../support/prompt-of.ts';
import { tempFolder } from '../temp-folder.ts';

const prompt = promptOf({ tools: [act('work', () => ToolResult.ok(null, 'x'.repeat(1_000)))] });
const turns = [{ toolCalls: [{ name: 'work' }] }, { text: 'done' }];

describe('openRunRecorder', () => {
  it('writes a record that its owner only can read', async () => {
    const file = join(tempFolder(), 'run.jsonl');
    {
      await using recorder = await openRunRecorder({ file, runId: 'run-1' });
      await scriptedAdapter(turns).evaluate(prompt, { observers: [recorder] });
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const record = await readRunRecord(readFileSync(file, 'utf8').split('\n'));
    expect(record).toMatchObject({
      runId: 'run-1',
      isComplete: true,
      runtime: `node ${process.versions.node}`,
    });
    expect(record.calls.map(({ modelText }) => modelText)).toEqual(['x'.repeat(1_000)]);
  });

  it('never touches a file that is there', async () => {
    const file = join(tempFolder(), 'run.jsonl');
    writeFileSync(file, 'mine');
    const opening = openRunRecorder({ file });
    await expect(opening).rejects.toThrow(FilesystemError);
    await expect(opening).rejects.toMatchObject({ code: 'path-taken' });
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('fails where no file can be made', async () => {
    const file = join(tempFolder(), 'none', 'run.jsonl');
    await expect(openRunRecorder({ file })).rejects.toMatchObject({ code: 'filesystem-storage-failed' });
  });

  it('has written everything so far once it is flushed', async () => {
    const file = join(tempFolder(), 'run.jsonl');
    await using recorder = await openRunRecorder({ file });
    await scriptedAdapter(turns).evaluate(prompt, { observers: [recorder] });
    await recorder.flush();
    expect(await readRunRecord(readFileSync(file, 'utf8').split('\n'))).toMatchObject({ isComplete: true });
  });

  it('writes nothing more once it is disposed', async () => {
    const file = join(tempFolder(), 'run.jsonl');
    const recorder = await openRunRecorder({ file });
    await recorder[Symbol.asyncDispose]();
    await recorder[Symbol.asyncDispose]();
    const { text } = await scriptedAdapter(turns).evaluate(prompt, { observers: [recorder] });
    expect(text).toBe('done');
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});
