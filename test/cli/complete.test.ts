import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { deadlockMs } from '../support/deadlock.ts';
import { command } from './wink.ts';

let folder = '';
beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-shells-'));
  for (const name of ['bin', 'work', 'records']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'bin/wink'), `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  chmodSync(join(folder, 'bin/wink'), 0o755);
  writeFileSync(join(folder, 'records/demo-20261130-030000-1.jsonl'), 'x');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tab = '\t';
/** What is typed, and what is on the line then. */
const typed: readonly (readonly [keys: string, line: string])[] = [
  // What both `run` and `runs` begin with.
  [`wink ru${tab}`, 'wink run'],
  [`wink runs st${tab}`, 'wink runs stop'],
  [`wink run $(touch x) --du${tab}`, 'wink run $(touch x) --durable'],
  [`wink run --model op${tab}gpt-5`, 'wink run --model openai:gpt-5'],
  [`wink run --effort=x${tab}`, 'wink run --effort=xhigh'],
  [`wink serve --apply n${tab}`, 'wink serve --apply never'],
  [`wink view de${tab}`, 'wink view demo-20261130-030000-1.jsonl'],
];
const wanted = typed.map(([, line]) => line);
/** Each line is written down, and cleared for the next one. */
const keys = typed.map(([each]) => `${each}\x07\x15`);

/** Runs a shell with `wink` on its path, in a folder where a file `x` would be seen. */
function runShell(shell: string, args: readonly string[], input = ''): string {
  return execFileSync(shell, args, {
    cwd: join(folder, 'work'),
    input,
    env: {
      PATH: [join(folder, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
      HOME: folder,
      TERM: 'dumb',
      NOTED: join(folder, 'noted'),
      WINK_RECORDS: join(folder, 'records'),
      XDG_STATE_HOME: folder,
      XDG_CACHE_HOME: folder,
    },
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: deadlockMs,
  });
}

/** What was on the line; a shell may put a blank after a word that is whole. */
function noted(): readonly string[] {
  const lines = readFileSync(join(folder, 'noted'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => line.trimEnd());
}

/** The name of the tests of a shell, and whether it is not there. */
function shellOf(name: string): readonly [title: string, isMissing: boolean] {
  const isMissing = spawnSync(name, ['-c', 'exit']).error !== undefined;
  return [`in ${name}${isMissing ? ' (skipped: it is not installed)' : ''}`, isMissing];
}

const [inBash, noBash] = shellOf('bash');
describe.skipIf(noBash)(`completion ${inBash}`, () => {
  it('is that of the command, and nothing of the line is run', () => {
    const setup = [
      'source <(wink complete bash)',
      `bind -x '"\\C-g": printf "%s\\n" "$READLINE_LINE" >>"$NOTED"'`,
    ];
    runShell('bash', ['--norc', '--noprofile', '-i'], `${setup.join('\n')}\n${keys.join('')}exit\n`);
    expect(noted()).toEqual(wanted);
    expect(existsSync(join(folder, 'work/x'))).toBe(false);
  });
});

/** Types on a terminal of its own: without one zsh does not complete. The prompt is written in parts, so that it is not found where it is set. */
const zshDriver = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "setopt menu_complete no_beep
note() { print -r -- \\"\\$BUFFER\\" >>\\$NOTED }
zle -N note
bindkey '^G' note
source <(wink complete zsh)
PS1='rea''dy> '"
zpty -r shell text '*ready> *' || exit 1
for each in "$@"; do zpty -w -n shell "$each"; done
while zpty -r shell text; do :; done
`;

const [inZsh, noZsh] = shellOf('zsh');
describe.skipIf(noZsh)(`completion ${inZsh}`, () => {
  it('is that of the command, and nothing of the line is run', () => {
    const driver = join(folder, 'driver');
    writeFileSync(driver, zshDriver);
    runShell('zsh', ['-f', driver, ...keys, 'exit\n']);
    expect(noted()).toEqual(wanted);
    expect(existsSync(join(folder, 'work/x'))).toBe(false);
  });
});

const [inFish, noFish] = shellOf('fish');
describe.skipIf(noFish)(`completion ${inFish}`, () => {
  it.each<[string, readonly string[]]>([
    ['wink ru', ['run', 'runs']],
    ['wink run $(touch x) --du', ['--durable']],
    ['wink run (touch x) --du', ['--durable']],
    ['wink run --model op', ['openai:']],
    ['wink run --effort=x', ['--effort=xhigh']],
    ['wink serve --apply n', ['never']],
    ['wink view de', ['demo-20261130-030000-1.jsonl']],
  ])('of %s is that of the command, and nothing of the line is run', (line, words) => {
    const program = 'wink complete fish | source; complete -C $argv[1]';
    const printed = runShell('fish', ['--no-config', '-c', program, line]);
    expect(printed.trimEnd().split('\n').toSorted()).toEqual(words);
    expect(existsSync(join(folder, 'work/x'))).toBe(false);
  });
});
