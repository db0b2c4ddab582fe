import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Ending, run } from './wink.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const agentSource = (body: string, description: string): string => `
  import { scriptedAdapter } from 'weakincentives/testing';
  import { defineAgent, jsonSchema, promptTemplate, section, tool, ToolResult } from 'weakincentives';
  const search: unknown = tool({
    name: 'search',
    description: ${JSON.stringify(description)},
    inputSchema: jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string', description: 'Where to.' }, nights: { type: 'integer', default: 1 } },
      required: ['city'],
    }),
    execute: ({ city }) => ToolResult.ok(city),
  });
  export default defineAgent({
    name: 'booking',
    adapter: () => scriptedAdapter((_conversation, { instructions }) => ({ text: instructions })),
    template: promptTemplate({
      ns: 'travel',
      key: 'booking',
      sections: [
        section({
          title: 'Guide',
          key: 'guide',
          params: jsonSchema<{ guest: string }>({ type: 'object', properties: { guest: { type: 'string' } }, required: ['guest'] }),
          template: (p) => \`${body}\`,
          tools: [search],
        }),
      ],
    }),
  });
`;

const guest = ['--params', '{"guest":"Ada"}'] as const;

interface Repository {
  readonly file: string;
  readonly edit: (from: string, to: string) => void;
  readonly setAgent: (body: string, description?: string) => void;
  readonly wink: (...args: readonly string[]) => Promise<Ending>;
  readonly winkRun: (...args: readonly string[]) => Promise<Ending>;
}

function repository(): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'wink-prompt-'));
  made.push(folder);
  mkdirSync(join(folder, '.git'));
  mkdirSync(join(folder, 'agents'));
  const file = join(folder, '.weakincentives/prompts/overrides/travel/booking/latest.json');
  const setAgent = (body: string, description = 'Finds flights.'): void =>
    writeFileSync(join(folder, 'agents/booking.ts'), agentSource(body, description));
  setAgent('Help ${p.guest}.');
  const place = { cwd: folder, variables: { XDG_STATE_HOME: join(folder, '.state') } };
  return {
    file,
    setAgent,
    edit: (from, to) => writeFileSync(file, readFileSync(file, 'utf8').replace(from, to)),
    wink: (...args) => run(['prompt', ...args], place),
    winkRun: (...args) => run(['run', 'agents/booking.ts', ...guest, ...args], place),
  };
}

const shown = '.weakincentives/prompts/overrides/travel/booking/latest.json';

describe('wink prompt', () => {
  it('shows what the model is told', async () => {
    const { wink } = repository();
    expect(await wink('show', 'agents/booking.ts', ...guest)).toEqual({
      code: 0,
      stdout: [
        '## 1. Guide (guide)',
        '',
        'Help Ada.',
        '',
        '# Tools',
        '',
        '## search',
        '',
        'Finds flights.',
        '',
        '- city (string): Where to.',
        '- nights (integer, default 1)',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('goes from the seed over an edit to a diff and a check', async () => {
    const { wink, edit } = repository();
    expect(await wink('seed', 'agents/booking.ts')).toEqual({
      code: 0,
      stdout: `${shown}: created, with all texts of the prompt\n`,
      stderr: '',
    });
    expect(await wink('diff', 'agents/booking.ts', ...guest)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await wink('check', 'agents/booking.ts')).stdout).toBe(`${shown}: fits\n`);
    edit('Help ${guest}.', 'Serve ${guest} well.');
    edit('Where to.', 'The destination.');
    const { stdout, code } = await wink('diff', 'agents/booking.ts', ...guest);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => /^[-+]/.test(line))).toEqual([
      '--- code',
      `+++ ${shown}`,
      '-Help Ada.',
      '+Serve Ada well.',
      '-- city (string): Where to.',
      '+- city (string): The destination.',
    ]);
    expect((await wink('show', 'agents/booking.ts', ...guest)).stdout).toContain('Serve Ada well.');
    expect(await wink('check', 'agents/booking.ts')).toEqual({
      code: 0,
      stdout: `${shown}: fits\n`,
      stderr: '',
    });
  });

  it('fails a check when the code has moved on, until the text is refreshed', async () => {
    const { wink, edit, setAgent, file } = repository();
    await wink('seed', 'agents/booking.ts');
    edit('Help ${guest}.', 'Serve ${guest} well.');
    edit('Where to.', 'The destination.');
    setAgent('Help ${p.guest} and others.', 'Finds flights and trains.');
    const failed = await wink('check', 'agents/booking.ts');
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toBe(
      'wink: stale (latest): The body of section "guide" in the code has changed. Look at it, then seed it anew.\n',
    );
    // What is out of date stays until somebody says so.
    const again = await wink('seed', 'agents/booking.ts');
    expect(again).toMatchObject({ code: 0, stderr: failed.stderr });
    expect(readFileSync(file, 'utf8')).toContain('Serve ${guest} well.');
    const refreshed = await wink('seed', 'agents/booking.ts', '--refresh');
    expect(refreshed).toEqual({ code: 0, stdout: `${shown}: 0 texts added, 2 replaced\n`, stderr: '' });
    expect(readFileSync(file, 'utf8')).toContain('The destination.');
    expect((await wink('check', 'agents/booking.ts')).code).toBe(0);
    const { stdout } = await wink('show', 'agents/booking.ts', ...guest);
    expect(stdout).toContain('Help Ada and others.');
    expect(stdout).toContain('The destination.');
  });

  it('keeps sets of texts apart by their tag, and checks all of them', async () => {
    const { wink, file } = repository();
    expect((await wink('check', 'agents/booking.ts')).stdout).toBe('booking has no overrides\n');
    await wink('seed', 'agents/booking.ts', '--tag', 'team');
    writeFileSync(file, '{');
    const { code, stdout, stderr } = await wink('check', 'agents/booking.ts');
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${shown.replace('latest', 'team')}: fits\n` });
    expect(stderr).toMatch(/^wink: The overrides file "travel\/booking\/latest\.json" is not JSON/);
    expect(readFileSync(file, 'utf8')).toBe('{');
  });

  it.each([
    [[], 'no action given; wink prompt has show, seed, diff, check.'],
    [['edit', 'x.ts'], 'unknown action "edit" of wink prompt; it has show, seed, diff, check.'],
    [['show'], 'no agent given: wink prompt show AGENT, with a file that exports one.'],
    [['show', 'a.ts', 'b.ts'], 'wink prompt takes ACTION, AGENT: 2 at most, not 3.'],
    [['show', 'agents/booking.ts', '--refresh'], '--refresh is for wink prompt seed.'],
    [['show', 'agents/booking.ts', '--tag', ''], '--tag is empty.'],
    [['show', 'agents/booking.ts', '--full'], 'unknown option "--full".'],
  ])('says what is wrong with %j', async (args, message) => {
    const { code, stdout, stderr } = await repository().wink(...args);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `wink: ${message} See wink prompt --help.\n`,
    });
  });

  it.each([
    [['show', 'agents/none.ts'], 'cannot be read'],
    [['show', 'agents/booking.ts'], 'the params of booking are invalid'],
    [
      ['show', 'agents/booking.ts', '--tag', 'team', ...guest],
      'wink prompt seed agents/booking.ts --tag team creates it.',
    ],
    [['diff', 'agents/booking.ts', ...guest], 'wink prompt seed agents/booking.ts creates it.'],
  ])('ends with 2 and a remedy for %j', async (args, message) => {
    const { code, stdout, stderr } = await repository().wink(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('refuses a tag that is no name', async () => {
    const { code, stderr } = await repository().wink('seed', 'agents/booking.ts', '--tag', '../up');
    expect(code).toBe(1);
    expect(stderr).toContain('"../up"');
  });
});

describe('wink run with edited texts', () => {
  it('tells them to the model when it is asked to, and only then', async () => {
    const { wink, winkRun, edit } = repository();
    await wink('seed', 'agents/booking.ts');
    edit('Help ${guest}.', 'Serve ${guest} well.');
    expect((await winkRun()).stdout).toContain('Help Ada.');
    for (const args of [
      ['--tag', 'latest'],
      ['--overrides', '.weakincentives/prompts/overrides'],
    ]) {
      const { code, stdout, stderr } = await winkRun(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('stale') });
      expect(stdout).toContain('Serve Ada well.');
    }
  });

  it('says which of them no longer fit', async () => {
    const { wink, winkRun, edit, setAgent } = repository();
    await wink('seed', 'agents/booking.ts');
    edit('Help ${guest}.', 'Serve ${guest} well.');
    setAgent('Help ${p.guest} and others.');
    const { code, stdout, stderr } = await winkRun('--tag', 'latest');
    expect(code).toBe(0);
    expect(stdout).toContain('Help Ada and others.');
    expect(stderr).toContain('wink: stale (latest): The body of section "guide" in the code has changed.');
  });

  it('does not begin without the texts that were asked for', async () => {
    const { winkRun, file, wink } = repository();
    expect(await winkRun('--tag', 'team')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('wink prompt seed agents/booking.ts --tag team creates it.'),
    });
    await wink('seed', 'agents/booking.ts');
    writeFileSync(file, '{');
    expect(await winkRun('--tag', 'latest')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('is not JSON'),
    });
    expect(await winkRun('--tag', '')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--tag is empty'),
    });
  });
});
