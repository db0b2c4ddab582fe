import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countPackages } from '../../bench/compare/first-agent/count-packages.ts';
import { by, fails, figure, holds, noSuchThing, notRun } from '../../bench/compare/harness/cell.ts';
import {
  type CompareResults,
  differenceOf,
  findGaps,
  resultsFile,
  shortOf,
} from '../../bench/compare/harness/results.ts';
import {
  cellName,
  compareCells,
  compareIssues,
  compareRows,
  compareSystems,
} from '../../bench/compare/harness/rows.ts';
import { compareTable, withTable } from '../../bench/compare/harness/table.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const exists = (path: string): boolean => existsSync(new URL(path, root));
const results = JSON.parse(read(resultsFile)) as CompareResults;

describe('the comparison', () => {
  it('has a script and a result in every cell', () => {
    expect(findGaps(results, exists)).toEqual([]);
    expect(compareCells.filter(({ row }) => !row.startsWith('issues/'))).toHaveLength(
      compareRows.length * compareSystems.length,
    );
  });

  it('says when a script, a result, a version or a reason is missing, and when there is a result too much', () => {
    const { 'order/pi': _left, ...cells } = results.cells;
    const { pi: _version, ...versions } = results.versions;
    const wrong = {
      ...results,
      versions: versions as CompareResults['versions'],
      cells: { ...cells, 'killed/pi': holds(' '), 'killed/cobol': fails('It has no files.') },
    };
    expect(findGaps(wrong, (path) => path !== 'bench/compare/replay/wink.ts')).toEqual([
      'order/pi has no result',
      'replay/wink has no script',
      'killed/cobol has a result and is no cell',
      'pi has no version',
      'killed/pi has no reason',
    ]);
  });

  it('is of the versions that are installed', () => {
    const peers = (JSON.parse(read('bench/package.json')) as { dependencies: Record<string, string> })
      .dependencies;
    const own = (JSON.parse(read('package.json')) as { version: string }).version;
    for (const system of compareSystems) {
      const version = 'package' in system ? peers[system.package]?.replace(/^npm:.*@/, '') : own;
      expect(results.versions[system.id], system.id).toBe(version);
    }
  });

  it.each(['README.md', 'bench/compare/README.md'])('has the table of the results in %s', (file) => {
    expect(withTable(read(file), results, file)).toBe(read(file));
  });

  it('has an example of this library for each issue, which names its row', () => {
    for (const { id } of compareIssues) expect(read(`examples/${id}.ts`)).toContain(`// Compared: ${id}\n`);
  });

  it('holds for this library in every row', () => {
    const own = compareRows.map(({ id }) => results.cells[cellName({ row: id, system: 'wink' })]?.result);
    expect(new Set(own)).toEqual(new Set(['holds', 'figure']));
  });
});

describe('the table of the comparison', () => {
  it('links every cell to its script, relative to the document', () => {
    expect(compareTable(results, 'README.md')).toContain('](bench/compare/killed/langgraph.ts)');
    expect(compareTable(results, 'bench/compare/README.md')).toContain('](killed/langgraph.ts)');
    expect(compareTable(results, 'bench/compare/README.md')).toContain('](README.md#fairness)');
  });

  it('has no issues, which are in the reasons', () => {
    const table = compareTable(results, 'README.md');
    const readme = read('bench/compare/README.md');
    for (const { id, title, systems } of compareIssues) {
      expect(table).not.toContain(title);
      expect(readme).toContain(`### ${id.replace('issues/', '')}\n\n${title}.\n\n- [`);
      for (const system of systems) expect(readme).toContain(`](${id}/${system}.ts): **`);
    }
  });

  it('differs when a result does', () => {
    const other = { ...results, cells: { ...results.cells, 'order/wink': fails('It does not.') } };
    expect(compareTable(other, 'README.md')).not.toBe(compareTable(results, 'README.md'));
    expect(withTable(read('README.md'), other, 'README.md')).not.toBe(read('README.md'));
  });

  it('is refused by a document without markers', () => {
    expect(() => withTable('# Nothing\n', results, 'guides/x.md')).toThrow(
      'guides/x.md has no <!-- compare:begin -->',
    );
  });
});

describe('results of the comparison', () => {
  it('are named in a few words', () => {
    const outcomes = [
      by('a setting', holds('x')),
      by('a setting', fails('x')),
      noSuchThing('x'),
      notRun('x'),
    ];
    expect(outcomes.map(shortOf)).toEqual(['holds (a setting)', 'fails', 'no such thing', 'not run']);
    expect(shortOf(figure('3 lines', 'x'))).toBe('3 lines');
  });

  it('differ by what the table shows, not by their reasons', () => {
    expect(differenceOf('a/b', holds('one'), holds('two'))).toBeUndefined();
    expect(differenceOf('a/b', holds('one'), fails('It does not.'))).toBe(
      'a/b: fails (It does not.), and holds is written',
    );
    expect(differenceOf('a/b', holds('one'), by('a setting', holds('two')))).toContain('holds (a setting)');
    expect(differenceOf('a/b', undefined, holds('one'))).toBe('a/b: holds, and no result is written');
  });
});

describe('countPackages()', () => {
  it('counts dependencies and required peers once, and looks for them as Node does', () => {
    const packages = {
      '': { dependencies: { a: '1' } },
      'node_modules/a': {
        dependencies: { b: '1', c: '1' },
        optionalDependencies: { c: '1' },
        peerDependencies: { d: '1', e: '1' },
        peerDependenciesMeta: { e: { optional: true } },
      },
      'node_modules/b': { dependencies: { f: '2' } },
      'node_modules/b/node_modules/f': { dependencies: { a: '1' } },
      'node_modules/c': {},
      'node_modules/d': {},
      'node_modules/e': {},
      'node_modules/f': { dependencies: { c: '1' } },
    };
    expect(countPackages({ packages }, ['a'])).toBe(4); // a, b, d and the inner f
    expect(countPackages({ packages }, ['weakincentives', 'f'])).toBe(7);
  });
});
