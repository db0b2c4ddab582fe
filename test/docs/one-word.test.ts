import { expect, test } from 'vitest';
import { runCheck } from '../support/run-check.ts';

test.each([
  ['src/call.ts', 'const callsInside = 1;', 'callsInside; write outer or inner'],
  ['src/call.ts', 'class Call { #isNested = true; }', '#isNested; write outer or inner'],
  ['src/view.tsx', 'const view = { enclosing: 1 };', 'enclosing; write outer or inner'],
  ['src/call-inside.ts', '', 'call-inside; write outer or inner'],
  ['src/nested/call.ts', '', 'nested; write outer or inner'],
  ['src/call.ts', '// The enclosing call.', '"enclosing call"; write outer or inner'],
  ['src/durable/run.ts', 'const isRepeating = true;', '"Repeat"; write resume'],
  ['src/core/runtime/loop.ts', '/** Where a replay begins. */', '"replay"; write resume or earlier'],
  ['src/cli/replay/report.ts', "const text = 'cannot be resumed';", '"resume"; write replay'],
])('reports %s: %s', (file, text, problem) => {
  const { status, lines } = runCheck('one-word', { [file]: text });
  expect(lines[0]).toBe(`${file}: ${problem}`);
  expect(status).toBe(1);
});

test.each([
  ['src/call.ts', 'const innerCalls = 1; // What runs inside the call.'],
  ['src/call.ts', "const text = 'inside';"],
  ['src/call.ts', 'const isInside = true;'],
  ['src/runtime/loop.ts', '// @see docs/spec/replay.md'],
  ['src/record/replay/report.ts', 'const isReplayed = true;'],
])('accepts %s: %s', (file, text) => {
  expect(runCheck('one-word', { [file]: text })).toEqual({ status: 0, lines: [''] });
});
