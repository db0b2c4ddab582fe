import { describe, expect, it } from 'vitest';
import { readBeforeWritePolicy } from 'weakincentives';
import { PolicyStage } from './policy-fixtures.ts';

const policy = readBeforeWritePolicy();
const path = 'notes.txt';

function write(stage: PolicyStage, text: string): Promise<string | undefined> {
  return stage.call(policy, 'write_file', { path }, ({ view }) => view.write(path, text));
}

describe('a file that a call wrote', () => {
  it.each([
    ['made', {}],
    ['overwrote after reading it', { [path]: 'old' }],
  ])('(%s) is known with what was written: a change from outside is noticed', async (_how, files) => {
    const stage = new PolicyStage(files);
    if (path in files) await stage.call(policy, 'read_file', { path }, ({ view }) => view.read(path));
    expect(await write(stage, 'one')).toBeUndefined();
    expect(await write(stage, 'two')).toBeUndefined();
    await stage.files.write(path, 'from outside');
    expect(await write(stage, 'three')).toMatch(/has changed since it was read/);
    await stage.files.write(path, 'two');
    expect(await write(stage, 'three')).toBeUndefined();
  });

  it('is noticed as changed also where no tool of the policy wrote it', async () => {
    const stage = new PolicyStage();
    await stage.call(policy, 'generate', {}, ({ view }) => view.write(path, 'made'));
    await stage.files.write(path, 'from outside');
    expect(await write(stage, 'new')).toMatch(/has changed since it was read/);
  });
});
