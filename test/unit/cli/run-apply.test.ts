import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AnyAgent, defineAgent, promptTemplate } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import type { CommandParts } from '../../../src/cli/agent/command-parts.ts';
import { readArguments } from '../../../src/cli/commands/read-arguments.ts';
import { openFolder } from '../../../src/cli/folder/open-folder.ts';
import type { RunRequest } from '../../../src/cli/options/run-task.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { fakeEnvironment, ofAgent } from './support.ts';

/** The request of a command line. */
function request(...argv: readonly string[]): RunRequest {
  const read = readArguments(argv);
  if (read.kind !== 'run') throw new Error(`no run: ${JSON.stringify(read)}`);
  return read;
}

const write = (path: string, content = 'x\n') => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});
const template = promptTemplate({ ns: 'tests', key: 'demo', name: 'demo', sections: [vfsToolsSection()] });
const writer: AnyAgent = defineAgent({
  template,
  adapter: scriptedAdapter([{ toolCalls: [write('new.md')] }, { text: 'All is written.' }]),
});

describe('--apply', () => {
  let base = '';
  let folder = '';
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'wink-apply-'));
    folder = join(base, 'work');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.md'), 'a\n');
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const applied = (...more: readonly string[]): RunRequest =>
    request('run', 'a.ts', '--workspace', folder, '--apply', ...more);
  const load = (agent: AnyAgent): Partial<CommandParts> => ({
    load: async () => ofAgent(agent),
    open: (name, workspace, mode) =>
      openFolder(name, workspace, mode, { stateDirectory: join(base, 'state') }),
  });

  it('writes the changes and says so', async () => {
    const environment = fakeEnvironment();
    expect(await runCommand(applied(), environment, load(writer))).toBe(0);
    expect(readFileSync(join(folder, 'new.md'), 'utf8')).toBe('x\n');
    expect(environment.stdout.text()).toContain(
      'folder: as on disk, without .git, node_modules; changes are written at the end\n',
    );
    expect(environment.stdout.text()).toContain('Changes: 1 file, written to the folder.\n');
  });

  it('writes nothing after a conflict and ends with 3', async () => {
    const meddling: AnyAgent = defineAgent({
      template,
      adapter: scriptedAdapter((_conversation, { turn }) => {
        if (turn === 1) return { toolCalls: [write('new.md'), write('other.md')] };
        writeFileSync(join(folder, 'new.md'), 'mine');
        return { text: 'ok' };
      }),
    });
    const environment = fakeEnvironment();
    expect(await runCommand(applied('--json'), environment, load(meddling))).toBe(3);
    expect(readdirSync(folder).sort()).toEqual(['a.md', 'new.md']);
    expect(readFileSync(join(folder, 'new.md'), 'utf8')).toBe('mine');
    expect(environment.stderr.text()).toContain(
      'wink: nothing was written: 1 conflict with the folder on disk.\nwink: new.md: was created on disk during the run.\n',
    );
    expect(JSON.parse(environment.stdout.text().trim().split('\n').at(-1) ?? '')).toMatchObject({
      exitCode: 3,
      outcome: 'conflict',
      application: { kind: 'conflict', conflicts: [{ path: 'new.md' }] },
    });
  });

  it('writes nothing when the run failed', async () => {
    const failing: AnyAgent = defineAgent({
      template,
      adapter: scriptedAdapter([{ toolCalls: [write('new.md')] }]),
    });
    const environment = fakeEnvironment();
    expect(await runCommand(applied(), environment, load(failing))).toBe(1);
    expect(readdirSync(folder)).toEqual(['a.md']);
    expect(environment.stdout.text()).toContain('not written because the run failed');
  });

  it('says what is wrong when the folder goes away', async () => {
    const leaving: AnyAgent = defineAgent({
      template,
      adapter: scriptedAdapter((_conversation, { turn }) => {
        if (turn === 1) return { toolCalls: [write('new.md')] };
        rmSync(folder, { recursive: true });
        return { text: 'ok' };
      }),
    });
    const environment = fakeEnvironment();
    expect(await runCommand(applied(), environment, load(leaving))).toBe(1);
    expect(environment.stdout.text()).toMatch(
      /^FAILED {2}.*\n\n {2}Nothing was written: The folder is no longer at its path\./,
    );
  });
});
