import { describe, expect, it } from 'vitest';
import type { QueryResult } from '../../../../src/cli/query/query-process.ts';
import { resultJson, resultLines } from '../../../../src/cli/query/result-text.ts';

const plain = { style: (_tone: string, text: string) => text };
const result = (columns: readonly string[], ...rows: QueryResult['rows']): QueryResult => ({
  columns,
  rows,
  leftOut: 0,
});

describe('a result for people', () => {
  it('is a table, numbers to the right', () => {
    const lines = resultLines(
      result(['name', 'n'], ['one', 1], ['twelve', 12], [null, { integer: '9223372036854775807' }]),
      { ...plain, width: 80 },
    );
    expect(lines).toEqual([
      'name                      n',
      'one                       1',
      'twelve                   12',
      'NULL    9223372036854775807',
    ]);
  });

  it('has its longest columns narrowed to the width', () => {
    const lines = resultLines(result(['a', 'b', 'c'], ['x'.repeat(50), 'y'.repeat(20), 7]), {
      ...plain,
      width: 40,
    });
    expect(lines[1]).toBe(`${'x'.repeat(16)}…  ${'y'.repeat(16)}…  7`.slice(0, 40));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
  });

  it('is a block for each row where the columns do not fit', () => {
    const columns = Array.from({ length: 5 }, (_, index) => `column_${index}`);
    const lines = resultLines(
      result(
        columns,
        columns.map((name) => `${name} ${'x'.repeat(40)}`),
      ),
      { ...plain, width: 40 },
    );
    expect(lines[0]).toBe('row 1');
    expect(lines[1]).toBe('column_0  column_0 xxxxxxxxxxxxxxxxxxxx…');
    expect(lines).toHaveLength(6);
  });

  it('has its control characters escaped, of values and of names', () => {
    const lines = resultLines(result(['\u001b[2J'], ['a\u001b[31mb\u0007\r\n\u202e']), {
      ...plain,
      width: 80,
    });
    expect(lines).toEqual(['<U+001B>[2J', 'a<U+001B>[31mb<U+0007><U+000D><U+000A><U+202E>']);
  });

  it('without rows is its heading', () => {
    expect(resultLines(result(['a', 'b']), { ...plain, width: 40 })).toEqual(['a  b']);
  });
});

describe('a result as JSON', () => {
  it('is an array, one row a line, every value kept', () => {
    const lines = [
      ...resultJson(
        result(
          ['a', 'a', 'a_2', 'b'],
          [1, 'x\u001b\n\u009b', null, { blob: '00ff' }],
          [1.5, { real: '-Infinity' }, { integer: '-9223372036854775808' }, ''],
        ),
      ),
    ];
    expect(lines).toEqual([
      '[',
      '{"a":1,"a_2":"x\\u001b\\n\\u009b","a_2_2":null,"b":"x\'00ff\'"},',
      '{"a":1.5,"a_2":"-Infinity","a_2_2":"-9223372036854775808","b":""}',
      ']',
    ]);
  });

  it('without rows is an empty array', () => {
    expect(JSON.parse([...resultJson(result(['a']))].join('\n'))).toEqual([]);
  });
});
