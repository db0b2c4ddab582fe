import { expect, test } from 'vitest';
import { runCheck } from '../support/run-check.ts';

const first = 'src/call.ts';
const second = 'src/view/report.tsx';

test.each([
  ['export interface Outcome {}', 'export type Outcome = string;'],
  ['export class Outcome {}', 'export interface Outcome {}'],
  ['interface Outcome {}\nexport type { Outcome };', 'export type Outcome = string;'],
  ['interface Ending {}\nexport type { Ending as Outcome };', 'export type Outcome = string;'],
])('reports %s and %s', (one, other) => {
  const { status, lines } = runCheck('type-names', { [first]: one, [second]: other });
  expect(lines[0]).toBe(`Outcome is exported by ${first}, ${second}`);
  expect(status).toBe(1);
});

test.each([
  ['export interface Outcome {}', "export type { Outcome } from '../call.ts';"],
  ['export interface Outcome {}', "import type { Outcome } from '../call.ts';\nexport type { Outcome };"],
  ['export interface Outcome {}', 'interface Outcome {}'],
  ['export interface Outcome {}', 'export const Outcome = 1;'],
  ['export interface Outcome {}\nexport class Outcome {}', ''],
])('accepts %s and %s', (one, other) => {
  expect(runCheck('type-names', { [first]: one, [second]: other })).toEqual({ status: 0, lines: [''] });
});
