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
  'examples/ten-names.ts': `// ${'long '.repeat(2_000)}`,
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
    'llms.txt has 10276 bytes, more than 6000.',
    'SeatOptions.name?: a comment is missing.',
  ]);
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
