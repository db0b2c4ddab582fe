import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgeRows } from '../../bench/harness/judge-rows.ts';
import { keyOf } from '../../bench/harness/plan-jobs.ts';
import { type BenchReport, updateResults } from '../../bench/harness/update-results.ts';
import { contenderNamed, resultOf, rowOf } from './rows-support.ts';

const pi = contenderNamed('@earendil-works/pi-agent-core');
const ai = contenderNamed('ai');
const hung = contenderNamed('@openai/agents');
const floor = contenderNamed('by hand');
const ours = contenderNamed('weakincentives');

function reportOf(node: string, own: number): BenchReport {
  const all = [floor, ours, ai, hung, pi];
  const rows = [
    rowOf('loop-10', all, { targets: [{ factor: 0.25, comparedTo: '@earendil-works/pi-agent-core' }] }),
    rowOf('loop-10-wall', all),
    rowOf('append', [ours], { targets: [{ factor: 200 }] }),
    rowOf('scale-sessions-cpu', [ours]),
  ];
  const results = new Map([
    [keyOf(floor), resultOf([5])],
    [keyOf(ours), resultOf([own, own - 10, own + 10])],
    [keyOf(pi), resultOf([100])],
    [keyOf(ai), resultOf([800], { notes: ['2 of 5 samples in 45 s'] })],
    [keyOf(hung), { samples: new Map(), notes: [], failures: ['killed after 150 s'] }],
  ]);
  return {
    effort: 'full',
    passes: 1,
    stopped: false,
    machine: {
      node,
      platform: 'linux x64',
      cpu: 'Processor',
      cores: 2,
      memoryGib: 24,
      loadAverageAtStart: 0.1,
      commit: 'abc',
      startedAt: '2026-01-01T00:00:00.000Z',
      versions: { ai: '6.0.0' },
    },
    loadAverageAtEnd: 0.2,
    rows: judgeRows(rows, results, true),
  };
}

const part = (name: string, body = 'old') => `<!-- begin ${name} -->\n${body}\n<!-- end -->`;
const written = (name: string, ...reports: readonly BenchReport[]) =>
  updateResults(part(name), reports).split('\n').slice(2, -2);
const node20 = reportOf('v20.20.2', 80);
const node22 = reportOf('v22.23.3', 120);

describe('updateResults', () => {
  it('writes the rows of the loop, those without a sample last', () => {
    expect(written('node-20 loop', node20)).toEqual([
      '| row | weakincentives | × pi | × old pi | × fastest peer | by hand | others | target |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      '| Row loop-10 (µs) `loop-10` | 80.0 (70.0–90.0) | 0.80 | – | 0.80 | 5.00 (5.00–5.00) | pi 100, ai 800 †, openai-agents – † | ≤ 0.25 × pi: missed (0.80) |',
      '| Row loop-10-wall (µs) `loop-10-wall` | 80.0 (70.0–90.0) | 0.80 | – | 0.80 | 5.00 (5.00–5.00) | pi 100, ai 800 †, openai-agents – † | – |',
    ]);
  });

  it('writes the other rows, notes, missed targets and the machine', () => {
    expect(written('node-20 parts', node20).slice(2)).toEqual([
      '| Row append (µs) `append` | 80.0 (70.0–90.0) | – | – | – | – | – | ≤ 200 µs: met (80.0) |',
    ]);
    expect(written('node-20 scale', node20).slice(2)).toEqual([
      '| Row scale-sessions-cpu (µs) `scale-sessions-cpu` | 80.0 (70.0–90.0) | – | – | – | – | – | – |',
    ]);
    expect(written('node-20 notes', node20)).toEqual([
      '- `loop-10`, ai: 2 of 5 samples in 45 s',
      '- `loop-10`, openai-agents: killed after 150 s',
      '- `loop-10-wall`, ai: 2 of 5 samples in 45 s',
      '- `loop-10-wall`, openai-agents: killed after 150 s',
    ]);
    expect(written('node-20 missed', node20)).toEqual(['- `loop-10`: ≤ 0.25 × pi: missed (0.80)']);
    expect(written('node-20 machine', node20)).toEqual([
      '- 2026-01-01T00:00:00.000Z, commit abc',
      '- Node v20.20.2 on linux x64, 2 × Processor, 24 GiB, load average 0.1 at the start, 0.2 at the end',
      '- ai 6.0.0',
      '- `npm run bench -- --passes 1`',
    ]);
    const busy = { ...node20, loadAverageAtEnd: 2.1 };
    expect(written('node-20 machine', busy).at(-1)).toBe(
      '- **The machine was busy: wall times mean nothing, ratios little.**',
    );
  });

  it('sets the ratios of all reports side by side, without wall times beside CPU times', () => {
    const text = updateResults([part('ratios'), part('node-20 notes'), part('node-22 notes')].join('\n\n'), [
      node20,
      node22,
    ]);
    expect(text.split('\n').slice(2, 6)).toEqual([
      '| row | Node v20.20.2 | Node v22.23.3 |',
      '| --- | --- | --- |',
      '| `loop-10` | 0.80 × pi (80.0 µs) | 1.2 × pi (120 µs) |',
      '',
    ]);
  });

  it('writes what a step costs into a text that has no other part', () => {
    const warm = (report: BenchReport): BenchReport => ({
      ...report,
      rows: report.rows.map((row) => (row.id === 'loop-10' ? { ...row, id: 'loop-1000-warm' } : row)),
    });
    const lines = updateResults(part('costs'), [warm(node20), warm(node22)]).split('\n');
    expect(lines.slice(2, 6)).toEqual([
      '|  | Node v20.20.2 | Node v22.23.3 |',
      '| --- | --- | --- |',
      '| A turn with one call, in a warm process: CPU | 80.0 µs | 120 µs |',
      '| the same in the first 1,000 turns of a process | – | – |',
    ]);
  });

  it.each(['journal', 'mcp'])(
    'writes the rows of the part %s with the machine that they were measured on, and nothing else of a report that has only these',
    (name) => {
      const partOf = (report: BenchReport): BenchReport => ({
        ...report,
        rows: report.rows
          .filter(({ id }) => id === 'append')
          .map((row) => ({ ...row, id: `${name}-loop`, targets: [] })),
      });
      const only = partOf(node22);
      expect(written(`node-22 ${name}`, only)).toEqual([
        ...written('node-22 machine', node22),
        '',
        '| row | weakincentives | × pi | × old pi | × fastest peer | by hand | others | target |',
        '| --- | --- | --- | --- | --- | --- | --- | --- |',
        `| Row append (µs) \`${name}-loop\` | 120 (110–130) | – | – | – | – | – | – |`,
        '',
        'No sample was left out.',
      ]);
      const others = ['ratios', 'node-22 machine', 'node-22 parts', 'node-22 notes'].map((each) =>
        part(each),
      );
      const text = [...others, part(`node-22 ${name}`)].join('\n\n');
      expect(updateResults(text, [only]).startsWith(others.join('\n\n'))).toBe(true);
      const both = { ...node22, rows: [...node22.rows, ...only.rows] };
      expect(updateResults(text, [both])).not.toContain('\nold\n');
      expect(written('node-22 parts', both).join()).not.toContain(`${name}-loop`);
      expect(updateResults(part(`node-22 ${name}`), [node22])).toBe(part(`node-22 ${name}`));
    },
  );

  it('leaves the text around the parts alone, and the parts of a Node without a report', () => {
    const text = `Before.\n\n${part('node-20 missed')}\n\nBetween.\n\n${part('node-22 missed')}\n\nAfter.\n`;
    const updated = updateResults(text, [node22]);
    expect(updated).toBe(
      `Before.\n\n${part('node-20 missed')}\n\nBetween.\n\n${part(
        'node-22 missed',
        '\n- `loop-10`: ≤ 0.25 × pi: missed (1.2)\n',
      )}\n\nAfter.\n`,
    );
    expect(updateResults(updated, [node22])).toBe(updated);
  });

  it('puts reports of one Node together, the later ones before the earlier', () => {
    const only = (report: BenchReport, id: string) => ({
      ...report,
      rows: report.rows.filter((row) => row.id === id),
    });
    const newer = reportOf('v20.20.2', 60);
    const text = updateResults(`${part('node-20 loop')}\n\n${part('node-20 parts')}`, [
      node20,
      only(newer, 'loop-10'),
    ]);
    expect(text).toContain('`loop-10` | 60.0');
    expect(text).toContain('`loop-10-wall` | 80.0');
    expect(text).toContain('`append` | 80.0');
  });

  it('names the machine of the report with the most rows, of several that of the last one', () => {
    const at = (report: BenchReport, commit: string, rows = report.rows) => ({
      ...report,
      rows,
      machine: { ...report.machine, commit },
    });
    const machineOf = (...reports: readonly BenchReport[]) => written('node-20 machine', ...reports)[0];
    const few = at(node20, 'few', node20.rows.slice(0, 1));
    const whole = at(node20, 'whole');
    expect(machineOf(whole, few)).toContain('commit whole');
    expect(machineOf(few, whole)).toContain('commit whole');
    expect(machineOf(whole, at(node20, 'again'))).toContain('commit again');
  });

  it('refuses parts and reports that do not fit together', () => {
    expect(() => updateResults(part('node-20 loops'), [node20])).toThrow(
      '"node-20 loops", which is not known',
    );
    expect(() => updateResults(part('node-20 loop'), [node22])).toThrow('no part for node-22');
  });

  it('finds a place for every version of Node in RESULTS.md and a guide', () => {
    const text = readFileSync(new URL('../../bench/RESULTS.md', import.meta.url), 'utf8');
    const reports = [node20, node22, reportOf('v24.1.0', 70)];
    const updated = updateResults(text, reports);
    const guide = readFileSync(new URL('../../guides/limits.md', import.meta.url), 'utf8');
    expect(updateResults(guide, reports)).toContain('| A turn with one call');
    for (const expected of ['| `loop-10` | 0.80 ×', 'Node v24.1.0 on linux', '`append` | 80.0']) {
      expect(updated).toContain(expected);
    }
  });
});
