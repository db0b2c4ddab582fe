import { ResourceError } from '../../../core/error/index.ts';

const refused = new Set([
  'attach',
  'begin',
  'commit',
  'detach',
  'end',
  'pragma',
  'release',
  'rollback',
  'savepoint',
  'vacuum',
]);

/**
 * What separates statements or hides a separator: quoted text, comments, words, and the semicolon itself. What is not closed continues to the
 * end, so that no text is read twice.
 */
const parts =
  /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[a-z_]\w*|;/gi;

/**
 * Refuses statements that would end the transaction of a call, or change the connection for other calls. One that gets past this check, as within
 * the text of a trigger, makes the commit of the call fail.
 *
 * @throws {ResourceError} `resource-statement-refused`.
 */
export function refuseStatement(sql: string): void {
  let isFirst = true;
  let words: string[] = [];
  let isTrigger = false;
  for (const [part] of sql.matchAll(parts)) {
    if (part === ';') {
      isFirst = true;
      words = [];
      continue;
    }
    const word = part.toLowerCase();
    if (!/^[a-z_]/.test(word)) {
      // A comment is between words.
      if (!word.startsWith('--') && !word.startsWith('/*')) isFirst = false;
      continue;
    }
    if (words.length < 3) words.push(word);
    if (words[0] === 'create' && words.includes('trigger')) isTrigger = true;
    // The end of a trigger follows the semicolon of its last statement.
    if (isFirst && refused.has(word) && !(isTrigger && word === 'end')) throw refusal(word);
    isFirst = false;
  }
}

function refusal(word: string): ResourceError {
  const statement = word.toUpperCase();
  const hint =
    word === 'pragma'
      ? 'Read the schema by functions such as pragma_table_info().'
      : 'A call is one transaction.';
  return new ResourceError(
    'resource-statement-refused',
    `The statement ${statement} cannot be used within a tool call: it would affect the transaction, or other calls on the connection. ${hint}`,
    { details: { statement } },
  );
}
