import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { command } from '../../cli/wink.ts';
import { ApprovingCli } from './approving-cli.ts';

let cli: ApprovingCli;

beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  cli = new ApprovingCli();
});
afterEach(() => {
  cli[Symbol.dispose]();
});

/** The line of the report that says yes, as its words. */
function answerIn(stdout: string): readonly string[] {
  const line = /^ +Yes: +wink (approvals answer .*--yes) --resume$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`There is no line that answers: ${stdout}`);
  return line.split(' ');
}

describe.runIf(isBuiltin('node:sqlite'))('a run that asks where nobody is', () => {
  it.each(['--apply=each', '--apply=end'])(
    'is suspended, shown, answered in another process and resumed, with %s',
    async (apply) => {
      const suspended = await cli.suspended(apply);
      expect(suspended.code, suspended.stderr).toBe(4);
      expect(suspended.stdout).toContain('\n  1  append, asked by ');
      expect(suspended.stdout).toMatch(/^WAITING {2}/);
      expect(suspended.stdout).toMatch(
        /\n {2}Yes: {4}wink approvals answer first [0-9a-f]{8} --yes --resume\n/,
      );
      expect(cli.notes).toBe('first\n');

      const listed = await cli.run('approvals', 'list');
      expect(listed.stdout).toContain('notes.md modified (+1)');
      const shown = await cli.run('approvals', 'show', 'first');
      expect(shown.stdout).toContain('--- a/notes.md\n+++ b/notes.md\n@@ -1,1 +1,2 @@\n first\n+approved\n');

      const answered = await cli.run(...answerIn(suspended.stdout), '--by', 'ann');
      expect(answered.code, answered.stderr).toBe(0);
      expect(answered.stdout).toMatch(/answered yes by ann\nto continue the run: wink resume first\n$/);
      expect(cli.notes).toBe('first\n');

      const resumed = await cli.run('resume', 'first');
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(resumed.stdout).toContain('\nAll is done.\n');
      expect(cli.notes).toBe('first\napproved\n');
      expect(cli.files).toEqual(['notes.md']);
      expect(cli.ran).toEqual(['append']);
      expect((await cli.run('approvals')).stdout).toBe('no run waits for an answer.\n');
      const late = await cli.run(...answerIn(suspended.stdout));
      expect(late.code).toBe(2);
      expect(late.stderr).toBe('wink: the run "first" has no questions: it is finished.\n');
    },
  );

  it('asks again when a file has changed that the answer was about', async () => {
    const suspended = await cli.suspended('--apply=each');
    await cli.run(...answerIn(suspended.stdout));
    cli.notes = 'other\n';
    const again = await cli.run('resume', 'first');
    expect(again.code, again.stderr).toBe(4);
    expect(cli.notes).toBe('other\n');
    expect(cli.ran).toEqual(['append', 'append']);

    const old = await cli.run(...answerIn(suspended.stdout));
    expect(old.code).toBe(2);
    expect(old.stderr).toContain('the run does not ask ');
    const shown = await cli.run('approvals', 'show', 'first');
    expect(shown.stdout).toContain(' other\n+approved\n');
    expect((await cli.run(...answerIn(again.stdout))).code).toBe(0);
    expect((await cli.run('resume', 'first')).code).toBe(0);
    expect(cli.notes).toBe('other\napproved\n');
  });

  it('continues without the changes after a no, which the model reads', async () => {
    await cli.suspended('--apply=each');
    await cli.run('approvals', 'answer', 'first', '--no', '--note', 'Not today.');
    const resumed = await cli.run('resume', 'first');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stdout).toContain('Not today.');
    expect(cli.notes).toBe('first\n');
    expect(cli.ran).toEqual(['append']);
  });

  it('asks for two answers, and continues with those that it has', async () => {
    cli.publishes = true;
    const suspended = await cli.suspended();
    expect(suspended.stdout).toContain('\n  1  publish_a, asked by reviews: Really publish?\n');
    expect(suspended.stdout).toContain('\n  2  publish_b, asked by reviews: Really publish?\n');
    const first = await cli.run('approvals', 'answer', 'first', '1', '--yes');
    expect(first.stdout).toContain('\n1 more question open: 2 (');
    expect(cli.ran).toEqual([]);
    const partly = await cli.run('resume', 'first');
    expect(partly.code).toBe(4);
    expect(cli.ran).toEqual(['publish_a']);
    expect((await cli.run('approvals', 'answer', 'first', '--yes')).stdout).toContain('wink resume first\n');
    expect((await cli.run('resume', 'first')).code).toBe(0);
    expect(cli.ran).toEqual(['publish_a', 'publish_b']);
  });

  it('has its questions in the result of --json', async () => {
    const { code, stdout } = await cli.suspended('--json', '--apply=end', '--expires', '7d');
    expect(code).toBe(4);
    const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(result).toMatchObject({
      type: 'command-result',
      exitCode: 4,
      outcome: 'suspended',
      runId: 'first',
      application: { kind: 'skipped' },
      changes: [],
      questions: [
        {
          number: 1,
          toolName: 'append',
          reason: 'Is this right?',
          changes: [{ path: 'notes.md', kind: 'modified', entry: 'file', addedLines: 1, removedLines: 0 }],
        },
      ],
    });
    const [{ askedAtMs, expiresAtMs }] = result.questions;
    expect(expiresAtMs - askedAtMs).toBe(7 * 86_400_000);
  });

  it('runs the command of --on-suspend with its questions, which may answer and resume', async () => {
    const asked = cli.beside('asked.json');
    const wink = `'${process.execPath}' '${command}'`;
    const line = `cat > '${asked}' && ${wink} approvals answer "$WINK_RUN_ID" --yes && ${wink} resume "$WINK_RUN_ID"`;
    const { code, stderr } = await cli.suspended('--apply=each', '--on-suspend', line);
    expect(code).toBe(4);
    expect(stderr).toContain('answered yes\n');
    expect(stderr).toContain('\nAll is done.\n');
    expect(cli.notes).toBe('first\napproved\n');
    expect(JSON.parse(readFileSync(asked, 'utf8'))).toMatchObject({
      runId: 'first',
      questions: [{ number: 1, toolName: 'append', changes: [{ path: 'notes.md', addedLines: 1 }] }],
    });
  });

  it('is suspended all the same when that command fails', async () => {
    const { code, stderr } = await cli.suspended('--on-suspend', 'exit 3');
    expect(code).toBe(4);
    expect(stderr).toMatch(
      /\nwink: the command of --on-suspend failed: exit code 3; the run is suspended all the same\.\n$/,
    );
    expect((await cli.run('runs')).stdout).toMatch(/^first +suspended /m);
  });
});

describe('the options', () => {
  it('need a journal', async () => {
    const { code, stderr } = await cli.run('run', cli.agent, cli.folder, '--on-suspend', 'true');
    expect(code).toBe(2);
    expect(stderr).toBe('wink: --on-suspend requires --durable or --journal. See wink run --help.\n');
    expect(existsSync(cli.beside('ran'))).toBe(true);
    expect(cli.ran).toEqual([]);
  });
});
