import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { completeCommand } from '../../../../src/cli/complete/complete-command.ts';
import { splitLine } from '../../../../src/cli/complete/line-words.ts';
import { shellScripts } from '../../../../src/cli/complete/shell-scripts.ts';
import { addRun, MemoryJournals } from '../journal/journals.ts';
import { fakeEnvironment } from '../support.ts';

let folder: string;
let journals: MemoryJournals;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-complete-'));
  mkdirSync(join(folder, 'records'));
  journals = new MemoryJournals();
  journals.pathsOf = () => ({ journal: 'journal.db', blobs: undefined });
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function complete(
  line: string,
  more: readonly string[] = [],
  point = [...line].length,
): Promise<readonly string[]> {
  const request = readArguments(['complete', '--line', line, String(point), ...more]);
  if (request.kind !== 'complete') throw new Error(JSON.stringify(request));
  const environment = fakeEnvironment({ variables: { WINK_RECORDS: join(folder, 'records') } });
  expect(await completeCommand(request, environment, { journals })).toBe(0);
  expect(environment.stderr.text()).toBe('');
  return environment.stdout.text().split('\n').slice(0, -1);
}

describe('the words at the cursor', () => {
  it.each<[string, readonly string[]]>([
    ['wink ru', ['run', 'runs']],
    ['wink --v', ['--version']],
    ['wink help re', ['replay', 'records', 'resume', 'rewind']],
    ['wink run --max-to', ['--max-tokens']],
    // Help has them beside another one.
    ['wink run --qui', ['--quiet']],
    ['wink approvals answer one --no', ['--no', '--note']],
    ['wink serve --no-d', ['--no-durable']],
    ['wink run --apply', ['--apply', '--apply=end', '--apply=each']],
    ['wink run --apply=e', ['end', 'each']],
    ['wink run --model o', ['openai:']],
    ['wink run --model=op', ['openai:']],
    ['wink run --model openai:', []],
    ['wink serve --apply ', ['each', 'end', 'never']],
    ['wink serve --approve s', ['suspend']],
    ['wink runs ', ['list', 'prune', 'stop', 'settle', 'export']],
    ['wink runs --folder . st', ['stop']],
    ['wink approvals a', ['answer']],
    ['wink records p', ['prune']],
    ['wink complete ', ['bash', 'zsh', 'fish']],
    ['wink run --effort=x', ['xhigh']],
    ['wink run -- --ap', []],
    ['wink run ag', []],
    ['wink run agent.ts --workspace ', []],
    ['wink nothing --', []],
    ['wink query last "SEL', []],
    ['wink run $(touch x) --du', ['--durable']],
  ])('of "%s" are known', async (line, words) => {
    expect(await complete(line)).toEqual(words);
  });

  it('are those before the cursor, and whole for shells that replace the word', async () => {
    expect(await complete('wink ru agent.ts 🙂', [], 7)).toEqual(['run', 'runs']);
    expect(await complete('wink run --apply=e', ['--whole'])).toEqual(['--apply=end', '--apply=each']);
    expect(await complete('wink 🙂 --x', ['--whole'])).toEqual([]);
  });

  it('are the last runs and records where a run is named', async () => {
    writeFileSync(join(folder, 'records', 'demo-20261130-030000-1.jsonl'), 'x');
    const journal = journals.journal();
    for (let number = 10; number < 40; number += 1)
      await addRun(journal, `run-${number}`, { updatedAtMs: number });
    await addRun(journal, '$(touch x)', { updatedAtMs: 99 });
    const runs = await complete('wink resume ');
    expect(runs.slice(0, 3)).toEqual(['last', 'run-39', 'run-38']);
    expect(runs).toHaveLength(20);
    expect((await complete('wink view ')).slice(0, 3)).toEqual([
      'last',
      'demo-20261130-030000-1.jsonl',
      'run-39',
    ]);
    expect(await complete('wink runs stop run-39')).toEqual(['run-39']);
    expect(await complete('wink runs list ')).toEqual([]);
    expect(await complete('wink view last ')).toEqual([]);
    await addRun(journals.journal('own.db'), 'own', {});
    expect(await complete('wink resume --journal own.db ')).toEqual(['last', 'own']);
  });

  it('are not looked for in a database, nor in a journal that cannot be read', async () => {
    journals.pathsOf = () => ({ journal: undefined, blobs: undefined });
    await addRun(journals.journal(), 'one', {});
    expect(await complete('wink resume ')).toEqual(['last']);
    journals.pathsOf = () => ({ journal: 'journal.db', blobs: undefined });
    journals.openExisting = async () => {
      throw new Error('It is damaged.');
    };
    expect(await complete('wink resume ')).toEqual(['last']);
  });

  it.each([
    [['complete'], 'name a shell: wink complete bash|zsh|fish.'],
    [['complete', 'bsh'], 'the shell is "bsh"; it must be bash, zsh or fish. Did you mean "bash"?'],
    [['complete', '--line', 'wink '], '--line is followed by the place of the cursor, a number.'],
  ])('are not asked for by %j', (argv, message) => {
    expect(readArguments(argv)).toMatchObject({ kind: 'usage-error', message });
  });
});

describe('a line', () => {
  it('is split as a shell does it, and nothing in it is evaluated', () => {
    expect(splitLine('wink  run a\\ b \'c d\' "e $(f)" g')).toEqual({
      before: ['wink', 'run', 'a b', 'c d', 'e $(f)'],
      current: 'g',
    });
    expect(splitLine('wink ')).toEqual({ before: ['wink'], current: '' });
    expect(splitLine("wink 'a")).toEqual({ before: ['wink'], current: undefined });
    expect(splitLine('wink a\\')).toEqual({ before: ['wink'], current: undefined });
  });
});

describe('the script of', () => {
  it('bash is the one that works with bash 3.2, and runs nothing of the line', () => {
    // A command of this name that says what it got.
    const command = join(folder, 'wink');
    writeFileSync(command, '#!/bin/sh\nprintf "%s\\n" "$3" "$4" "it is"\n');
    chmodSync(command, 0o755);
    const program = `${shellScripts.bash}${shellScripts.bash}
COMP_LINE='wink run $(touch x) \`touch x\` --' COMP_POINT=36
_wink
printf '<%s>' "\${COMPREPLY[@]}"
complete -p wink`;
    const printed = execFileSync('bash', ['--norc', '--noprofile', '-c', program], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env['PATH']}` },
      encoding: 'utf8',
    });
    expect(printed).toBe('<wink run $(touch x) `touch x` --><36><it is>complete -o default -F _wink wink\n');
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });
});
