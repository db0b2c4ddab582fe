import { ResourceError } from '../../../core/error/index.ts';

/** Statements that would end the transaction of a call, or leave something on a connection that later users get. By their first word. */
const refused = new Set([
  'abort',
  'begin',
  'commit',
  'deallocate',
  'discard',
  'end',
  'listen',
  'prepare',
  'release',
  'reset',
  'rollback',
  'savepoint',
  'set',
  'start',
  'unlisten',
]);

/** Blanks and comments before the first word, and between the first two. A comment may have others in it. */
const blank = /\s+|--[^\n]*/y;

/**
 * Refuses statements that would end the transaction of a call, or change the connection for others. A text is one statement: PostgreSQL refuses several in a query with
 * parameters, and every query of a call is sent as one.
 *
 * @throws {ResourceError} `resource-statement-refused`.
 */
export function refuseStatement(sql: string): void {
  const first = wordAt(sql, 0);
  if (!refused.has(first.word)) return;
  // What it sets ends with the transaction.
  if (first.word === 'set' && ['local', 'constraints'].includes(wordAt(sql, first.end).word)) return;
  const statement = first.word.toUpperCase();
  throw new ResourceError(
    'resource-statement-refused',
    `The statement ${statement} cannot be used within a tool call: it would affect the transaction, or others on the connection. ${hintFor(first.word)}`,
    { details: { statement } },
  );
}

function hintFor(word: string): string {
  if (word === 'set' || word === 'reset') return 'SET LOCAL ends with the call.';
  if (word === 'prepare' || word === 'deallocate') return 'Parameters need no PREPARE.';
  return 'A call is one transaction.';
}

/** The word after blanks and comments, in lower case; empty where something else is. */
function wordAt(sql: string, from: number): { readonly word: string; readonly end: number } {
  let at = from;
  for (;;) {
    blank.lastIndex = at;
    if (blank.test(sql)) at = blank.lastIndex;
    else if (sql.startsWith('/*', at)) at = endOfComment(sql, at);
    else break;
  }
  const word = /[a-z_]\w*/iy;
  word.lastIndex = at;
  const found = word.exec(sql)?.[0] ?? '';
  return { word: found.toLowerCase(), end: at + found.length };
}

/** Where a comment ends that may have others in it; the end of the text when it is not closed. */
function endOfComment(sql: string, from: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return sql.length;
}
