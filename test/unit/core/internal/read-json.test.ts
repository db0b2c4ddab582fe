import { expect, it } from 'vitest';
import { readJson } from '../../../../src/core/internal/index.ts';

it.each([
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['0', 0],
  ['', undefined],
  ['{"a":', undefined],
])('reads %j as %j', (text, value) => {
  expect(readJson(text)).toStrictEqual(value);
});
