import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fixture, reviewAgent, run } from './wink.ts';

let folder = '';
let file = '';

beforeAll(async () => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-replay-'));
  file = join(folder, 'run.jsonl');
  const work = join(folder, 'fixture');
  cpSync(fixture, work, { recursive: true });
  const { code } = await run(['run', reviewAgent, work, '--record', file]);
  expect(code).toBe(0);
  rmSync(work, { recursive: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('wink replay', () => {
  it('replays the review of a folder that is gone, every call the same', async () => {
    const { code, stdout, stderr } = await run(['replay', file]);
    expect([code, stdout]).toEqual([
      0,
      'Calls: 45 same. Requests: 13 same.\nEvery call and every request is the same.\n',
    ]);
    expect(stderr).toBe(`wink: replaying the agent ${reviewAgent}.\n`);
  });

  it('reports a changed agent, for people and as JSON', async () => {
    const copy = join(folder, 'agent');
    cpSync(dirname(reviewAgent), copy, { recursive: true });
    const changed = join(copy, 'agent.ts');
    const code = readFileSync(reviewAgent, 'utf8');
    const text = code.replace('maxLines: 400', 'maxLines: 300');
    expect(text).not.toBe(code);
    writeFileSync(changed, text);
    const stopped = await run(['replay', file, changed]);
    expect(stopped.code).toBe(1);
    expect(stopped.stdout).toContain('First difference, in turn 1: The instructions differ');
    expect(stopped.stdout).toContain('--on-drift force keeps to the recorded answers');
    const forced = await run(['replay', file, changed, '--on-drift', 'force', '--json']);
    expect(forced.code).toBe(1);
    const report: unknown = JSON.parse(forced.stdout);
    expect(report).toMatchObject({
      isSame: false,
      ending: 'complete',
      firstDifference: { turn: 1, path: [], text: expect.stringContaining('instructions') as unknown },
    });
  });

  it('lists a denied call whose policy is gone, and does not give it a result', async () => {
    const agent = (policies: string): string => {
      const path = join(folder, `agent-${policies === '' ? 'now' : 'then'}.mjs`);
      const code = `
        import { defineAgent, PolicyDecision, promptTemplate, section, ToolResult, tool } from 'weakincentives';
        import { scriptedAdapter } from 'weakincentives/testing';
        const pay = tool({ name: 'pay', description: 'Pay.', execute: () => ToolResult.ok(null, 'Paid.') });
        const none = { name: 'none', check: () => PolicyDecision.deny('Not now.') };
        const sections = [section({ title: 'Task', key: 'task', template: 'Pay.', tools: [pay] })];
        export default defineAgent({
          template: promptTemplate({ ns: 'test', key: 'pay', sections, policies: [${policies}] }),
          adapter: () => scriptedAdapter([{ toolCalls: [{ name: 'pay' }] }, { text: 'Done.' }]),
        });`;
      writeFileSync(path, code);
      return path;
    };
    const paid = join(folder, 'paid.jsonl');
    expect((await run(['run', agent('none'), '--record', paid])).code).toBe(0);
    const { code, stdout } = await run([
      'replay',
      paid,
      agent(''),
      '--on-drift',
      'force',
      '--resources',
      'live',
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain('Calls: 1 unrecorded.');
    expect(stdout).toContain(
      '  call-1-1 pay: unrecorded\n    It was denied (denied by none). What its handler would do now is not in the record.\n',
    );
    expect(stdout).toContain('would do now is not known, and what comes after it may be different.');
  });

  it('replays with edited texts, and hands over to the model of the agent where they differ', async () => {
    const overrides = join(folder, 'overrides');
    const edited = ['--tag', 'edited', '--overrides', overrides];
    const missing = await run(['replay', file, ...edited]);
    expect([missing.code, missing.stdout]).toEqual([2, '']);
    expect(missing.stderr).toContain(`wink prompt seed ${reviewAgent} --tag edited creates it.`);

    expect((await run(['prompt', 'seed', reviewAgent, ...edited])).code).toBe(0);
    expect((await run(['replay', file, ...edited])).code).toBe(0);

    const path = join(overrides, 'wink/agents/review/edited.json');
    const text = readFileSync(path, 'utf8');
    expect(text).toContain('Record every');
    writeFileSync(path, text.replace('Record every', 'Note every'));
    const stopped = await run(['replay', file, ...edited]);
    expect(stopped.code).toBe(1);
    expect(stopped.stdout).toContain('First difference, in turn 1: The instructions differ');
    expect(stopped.stdout).toContain('is not reviewed. Note every');

    const live = await run(['replay', file, ...edited, '--on-drift', 'continue']);
    expect(live.code).toBe(1);
    expect(live.stdout).toContain('First difference, in turn 1: The instructions differ');
    expect(live.stdout).toMatch(/\nA model answered from there on; what it was asked is not compared.\n$/);
    const { stdout } = await run(['replay', file, ...edited, '--on-drift', 'continue', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ ending: 'live', isSame: false });
  });

  it('replays a record that was cut off in the middle of a row as far as it goes', async () => {
    const cut = join(folder, 'cut.jsonl');
    writeFileSync(cut, readFileSync(file, 'utf8').slice(0, 60_000));
    const { code, stdout } = await run(['replay', cut]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Calls: \d+ same, \d+ not-replayed\. Requests: 3 same\.\nThe replay is not complete: .*\n$/,
    );
  });

  it('needs no model to continue where nothing differs, but one that can be made', async () => {
    expect((await run(['replay', file, '--on-drift', 'continue'])).code).toBe(0);
    const refused = await run(['replay', file, '--on-drift', 'continue', '--model', 'openai:some']);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('--model openai:some needs a key: set OPENAI_API_KEY');
  });

  it.each([
    [['replay'], 'no record given'],
    [['replay', 'a', 'b', 'c'], 'wink replay takes RUN, AGENT: 2 at most, not 3.'],
    [['replay', 'nowhere.jsonl'], 'cannot read "nowhere.jsonl"'],
    [['replay', 'README.md'], '"README.md" cannot be replayed'],
    [['replay', 'a', '--on-drift', 'later'], 'it must be stop, force or continue.'],
    [['replay', 'a', '--model', 'openai:some'], '--model is for --on-drift continue'],
    [['replay', 'a', '--on-drift', 'force', '--base-url', 'http://127.0.0.1:1'], '--base-url is for'],
    [['replay', 'a', '--tag', ''], '--tag is empty'],
    [['replay', 'a', '--tools', 'sometimes'], 'is not understood'],
    [['replay', 'a', '--resources', 'some'], '--resources is "some"; it must be refuse or live.'],
    [['replay', 'a', '--params', '[]'], '--params must be a JSON object'],
  ])('refuses %j', async (args, problem) => {
    const { code, stderr, stdout } = await run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
  });
});
