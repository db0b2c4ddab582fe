import { describe, expect, it } from 'vitest';
import { formatNumber, formatRatio, formatRows } from '../../bench/harness/format-table.ts';

describe('formatRows', () => {
  it('sets contenders one below the other, with ratios, remarks and targets', () => {
    const text = formatRows([
      {
        id: 'loop',
        title: 'A loop',
        unit: 'µs',
        contenders: [
          {
            name: 'by hand',
            spread: { median: 10, min: 9, max: 11.5, count: 5 },
            samples: [],
            toFloor: 1,
            toFastestPeer: 0.05,
            notes: [],
            failures: [],
          },
          {
            name: 'weakincentives',
            spread: { median: 1234.5, min: 1000, max: 2000, count: 4 },
            samples: [],
            toFloor: 123.45,
            toFastestPeer: 6.1725,
            notes: ['cut off'],
            failures: [],
          },
          { name: 'pi', samples: [], notes: [], failures: ['killed after 3 s'] },
        ],
        targets: [
          { factor: 0.25, comparedTo: 'pi', outcome: 'not measured' },
          { factor: 3, comparedTo: 'by hand', outcome: 'missed', measured: 123.45 },
          {
            factor: 1.3,
            comparedTo: { row: 'other', contender: 'weakincentives' },
            outcome: 'met',
            measured: 1,
          },
          { factor: 55, outcome: 'met', measured: 50 },
        ],
      },
    ]);
    expect(text.split('\n')).toEqual([
      'A loop (µs) [loop]',
      '                    median      min–max  n  × floor  × fastest peer',
      '  by hand          10.0 µs    9.00–11.5  5     1.00          0.0500',
      '  weakincentives  1,235 µs  1,000–2,000  4      123            6.17  cut off',
      '  pi                     –                                           FAILED: killed after 3 s',
      '  target ≤ 0.25 × pi: not measured',
      '  target ≤ 3 × by hand: missed (123)',
      '  target ≤ 1.3 × weakincentives in other: met (1.0)',
      '  target ≤ 55 µs: met (50.0)',
      '',
    ]);
  });
});

describe('formatNumber', () => {
  it.each([
    [0, '0'],
    [0.00123, '0.0012'],
    [0.0526, '0.0526'],
    [9.996, '10.0'],
    [99.96, '100'],
    [123.4, '123'],
    [1_234_567, '1,234,567'],
  ])('writes %d as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe('formatRatio', () => {
  it.each([
    [0, '0.0'],
    [0.0026, '0.0026'],
    [0.799, '0.80'],
    [9.94, '9.9'],
    [9.96, '10'],
    [1234.5, '1,235'],
  ])('writes %d as %s', (value, text) => {
    expect(formatRatio(value)).toBe(text);
  });
});
