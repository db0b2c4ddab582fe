import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { start } from './wink.ts';

let folder = '';
beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-watch-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let last: ReturnType<typeof start> | undefined;
// After a test that fails it would watch on; its run ends with it.
afterEach(() => void last?.kill('SIGKILL'));

const agent = (model: string): string => `
import { defineAgent, promptTemplate, section, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { answer } from './answer.ts';
// Ends only when the run is stopped.
const wait = tool({
  name: 'wait',
  description: 'Waits.',
  effects: 'read',
  execute: (_params, { signal }) => {
    process.stderr.write('asked\\n');
    return new Promise((_resolve, reject) => {
      const pulse = setInterval(() => undefined, 1000);
      signal.addEventListener('abort', () => {
        clearInterval(pulse);
        reject(signal.reason);
      });
    });
  },
});
const task = section({ title: 'Task', key: 'task', template: 'Answer.', tools: [wait] });
const template = promptTemplate({ ns: 'tests', key: 'watched', sections: [task] });
export default defineAgent({ template, workspace: false, adapter: scriptedAdapter(${model}) });
`;

/** A command, and a way to wait for what it prints. */
function watched(...args: readonly string[]) {
  const child = start(['run', join(folder, 'agent.ts'), '--watch', ...args]);
  last = child;
  let text = '';
  let seen = 0;
  let look = (): void => undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      text += data.toString();
      look();
    });
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  /** Resolves with what was printed until then, from the last time on. */
  const until = (part: string): Promise<string> =>
    new Promise((resolve) => {
      look = () => {
        const at = text.indexOf(part, seen);
        if (at < 0) return;
        const before = text.slice(seen, at + part.length);
        seen = at + part.length;
        look = () => undefined;
        resolve(before);
      };
      look();
    });
  return { child, ended, until };
}

const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe('wink run --watch', () => {
  it('runs again what does not load, what ended and what continues, and ends with Ctrl-C', async () => {
    put('agent.ts', agent('[{ text: answer }]'));
    put('answer.ts', 'export const answer = ;');
    const { child, ended, until } = watched();
    expect(await until('wink: watching 2 files, Ctrl-C ends\n')).toContain('cannot be loaded: ');
    put('answer.ts', "export const answer = 'First.';");
    expect(await until('Ctrl-C ends\n')).toContain('First.');
    put('agent.ts', agent("[{ toolCalls: [{ name: 'wait', arguments: {} }] }, { text: answer }]"));
    await until('asked\n');
    put('agent.ts', agent("[{ text: answer + ' Again.' }]"));
    const stopped = await until('Ctrl-C ends\n');
    expect(stopped).toContain('INTERRUPTED');
    expect(stopped).toContain('First. Again.');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  });

  it('watches what an agent imports from a workspace and by an alias, also when it does not load', async () => {
    const workspace = join(folder, 'workspace');
    mkdirSync(join(workspace, 'part'), { recursive: true });
    mkdirSync(join(folder, 'node_modules/@work'), { recursive: true });
    symlinkSync(join(workspace, 'part'), join(folder, 'node_modules/@work/part'));
    put('workspace/part/package.json', '{"name":"@work/part","type":"module","exports":"./index.ts"}');
    put('workspace/part/index.ts', "export const answer: string = 'From a workspace.';");
    put('package.json', '{"type":"module","imports":{"#answer":"./aliased.ts"}}');
    put('aliased.ts', "export { answer } from '@work/part';");
    put('agent.ts', agent('[{ text: answer }]').replace('./answer.ts', '#answer'));
    const { child, ended, until } = watched();
    expect(await until('wink: watching 3 files, Ctrl-C ends\n')).toContain('From a workspace.');
    put('workspace/part/index.ts', 'export const answer: string = ;');
    expect(await until('Ctrl-C ends\n')).toContain('cannot be loaded: ');
    put('workspace/part/index.ts', "export const answer: string = 'Repaired.';");
    expect(await until('Ctrl-C ends\n')).toContain('Repaired.');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  });

  it('takes the run with it when it is stopped', async () => {
    put('agent.ts', agent("[{ toolCalls: [{ name: 'wait', arguments: {} }] }, { text: answer }]"));
    put('answer.ts', "export const answer = 'Never.';");
    const { child, ended, until } = watched();
    await until('asked\n');
    child.kill('SIGTERM');
    await until('INTERRUPTED');
    expect(await ended).toBe(143);
  });
});
