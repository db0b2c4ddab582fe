import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCheck } from '../support/run-check.ts';

const files = {
  'test/fixtures/golden/help/wink-80.txt': 'Usage: wink COMMAND',
  'src/core/runtime/events/run-event.ts': 'export interface RunEvents {}',
  'src/entries/run.ts':
    "/**\n * Runs.\n *\n * Runs in any runtime.\n *\n * @module weakincentives/run\n */\nexport type { RunEvents } from '../core/runtime/events/run-event.ts';",
  'README.md': '# Seats\n\nSeats of a hall.\n',
  'guides/README.md': '- [Seats](seats.md): where people sit\n',
  'examples/ten-names.ts': `// Ten.\nimport assert from 'node:assert/strict';\nconsole.log('${'long '.repeat(2_000)}');\n`,
  'src/seat.ts': `/**
 * Codes of {@link SeatError}.
 *
 * - \`seat-taken\`: somebody sits there. What to do: take another one.
 * - \`seat-broken\`: it cannot be used.
 */
export type SeatErrorCode = 'seat-taken' | 'seat-broken' | 'seat-missing';
/** Not a seat. */
export class SeatError extends WinkError<SeatErrorCode> {}
`,
  'src/hall.ts': `/**
 * The hall is closed.
 *
 * Code: \`hall-closed\`.
 */
export class HallError extends WinkError<'hall-closed'> {}
`,
  'src/door.ts': "export class DoorError extends WinkError<'door-shut'> {}\n",
  'src/gate.ts': '/** A gate. */\nexport class GateError extends WinkError<GateErrorCode> {}\n',
  'src/entries/seats.ts': `export type SeatOptions =
  | {
      /** Its number. */
      readonly row: number;
      readonly name?: never;
    }
  | { readonly name: string; readonly row?: never };
`,
};

test('an error code needs a time and advice, an option of any form a comment', () => {
  const { status, lines } = runCheck('reference', files);
  expect(status).toBe(1);
  expect(lines.filter((line) => !line.endsWith('is out of date: npm run reference -- --write'))).toEqual([
    'src/door.ts: a class of errors has no comment.',
    'seat-broken of SeatErrorCode in src/seat.ts: what to do is missing.',
    'seat-missing of SeatErrorCode in src/seat.ts: when it comes up is missing.',
    'seat-missing of SeatErrorCode in src/seat.ts: what to do is missing.',
    'src/gate.ts: the codes of GateError are not declared as GateErrorCode.',
    'hall-closed of HallError in src/hall.ts: what to do is missing.',
    'src/entries/seats.ts: begin with what it holds, "Runs in …." and @module weakincentives/seats.',
    'llms.txt has 10339 bytes, more than 6000.',
    'SeatOptions.name?: a comment is missing.',
  ]);
});

test('an example says what it shows, asserts it and prints it', () => {
  const issue = [
    'Lost.',
    'Thread: https://github.com/a/b/issues/1',
    'Group: Files',
    'Steps: Two edits.',
    'Asserted: Both.',
  ];
  const comment = (lines: readonly string[]) => lines.map((line) => `// ${line}\n`).join('');
  const body = "import assert from 'node:assert/strict';\nassert.ok(true);\n";
  const { status, lines } = runCheck('reference', {
    ...files,
    'examples/good.ts': `// Shows it.\n${body}console.log('Shown.');\n`,
    'examples/silent.ts': `// Shows it.\n${body}`,
    'examples/trusting.ts': "// Shows it.\nconsole.log('Shown.');\n",
    'examples/unnamed/main.ts': `${body}console.log('Shown.');\n`,
    'examples/issues/b-1.ts': `${comment(issue)}${body}console.log('holds: both are there');\n`,
    'examples/issues/b-2.ts': `${comment(issue.with(2, 'Group: Fish'))}${body}console.log('holds');\n`,
    'examples/issues/b-4.ts': `${comment([...issue, 'Compared: fish'])}${body}console.log('holds: both are there');\n`,
    'examples/issues/b-3.ts': `${comment(issue.slice(0, 3))}${body}console.log('holds: both are there');\n`,
  });
  expect(status).toBe(1);
  expect(lines.filter((line) => line.startsWith('examples/') && !line.includes('is out of date'))).toEqual([
    'examples/issues/b-2.ts: "Fish" is not a group; there are Parallel calls, Files, Rules, Sub-agents, Crashes, Limits, Tools, Tests.',
    'examples/issues/b-2.ts: print one line "holds: …", as a literal.',
    'examples/issues/b-3.ts: the first comment has no line "Steps: ".',
    'examples/issues/b-3.ts: the first comment has no line "Asserted: ".',
    'examples/issues/b-4.ts: "fish" is not a row of bench/compare/harness/rows.ts.',
    'examples/silent.ts: print what it shows.',
    'examples/trusting.ts: assert what it shows, with node:assert/strict.',
    'examples/unnamed/main.ts: begin with a comment that says in one sentence what it shows.',
  ]);
  expect(lines).toContain('examples/README.md is out of date: npm run reference -- --write');
  expect(lines).toContain('guides/it-cannot-happen-here.md is out of date: npm run reference -- --write');
});

test('the reference of the command has every environment variable that is read', () => {
  // Between processes of the library, or no variable: the code of a warning.
  const internal = ['WINK_PORT', 'WINK_TOKEN', 'WINK_WATCHED', 'WINK_SQLITE_EXCLUSIVE'];
  const read = new Set(
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(join('src', file), 'utf8').match(/\bWINK_[A-Z_]+\b/g) ?? []),
  );
  const reference = readFileSync('guides/reference/command.md', 'utf8');
  expect([...read].filter((name) => !internal.includes(name) && !reference.includes(`\`${name}\``))).toEqual(
    [],
  );
});
