// What the text of a query may be, before anything runs it. This is the first of three walls, and the one with good messages; the driver in
// the child process is the second one (program.ts) and holds without it.

/** The statement of a query, or why it is refused: a part of a sentence that follows "the SQL is refused: ". */
export type CheckedStatement = { readonly statement: string } | { readonly refused: string };

interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'mark';
  /** Of a word in capitals; of a quoted name or a text without its quotes. */
  readonly text: string;
  readonly start: number;
}

/**
 * Comments, quoted parts, words and marks; what is not closed continues to the end. SQLite takes every character outside of ASCII as part of a name. A quote
 * twice inside of a text reads as the end of one and the begin of another: both end at the same place.
 */
const parts =
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)|(?<quoted>'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$))|(?<word>[A-Za-z_\u0080-\uffff][A-Za-z_0-9$\u0080-\uffff]*)|(?<mark>[^ \t\n\f\r])/g;

/**
 * Takes the only statement of a text, when it is one that reads: `SELECT`, `WITH … SELECT`, or `EXPLAIN` of these. Comments, texts and quoted names
 * are read as SQLite reads them. Linear in the length of the text.
 */
export function checkStatement(sql: string): CheckedStatement {
  if (sql.includes('\u0000')) return { refused: 'it has a character that ends texts (NUL)' };
  const tokens = tokensOf(sql);
  const end = tokens.findIndex(({ kind, text }) => kind === 'mark' && text === ';');
  const first = end === -1 ? tokens : tokens.slice(0, end);
  if (first.length === 0) return { refused: 'it has no statement' };
  const more = end === -1 ? [] : tokens.slice(end).filter(({ text }) => text !== ';');
  if (more.length > 0) return { refused: 'it has more than one statement, and a query is one' };
  const refused = refusalOf(first);
  if (refused !== undefined) return { refused };
  return { statement: sql.slice(first[0]?.start, end === -1 ? undefined : tokens[end]?.start).trimEnd() };
}

function refusalOf(tokens: readonly Token[]): string | undefined {
  const verb = verbOf(tokens);
  if (verb !== 'SELECT')
    return `${verb === undefined ? 'it does not begin as one' : `${verb} is not allowed`}; a query is SELECT, WITH … SELECT, or EXPLAIN of these`;
  // Tables of pragmas would be the way around the refusal of PRAGMA, and the driver of newer versions refuses them.
  const names = tokens.filter(({ kind }) => kind === 'word' || kind === 'name');
  const pragma = names.find(({ text }) => /^pragma_/i.test(text));
  if (pragma !== undefined) return `${pragma.text.toLowerCase()} is a PRAGMA; --schema prints the tables`;
  const extension = names.some(({ text }) => text.toLowerCase() === 'load_extension');
  return extension ? 'load_extension is not allowed' : undefined;
}

/** What the statement does: its first word, the one that `EXPLAIN` explains, or the one that uses the tables of `WITH`. */
function verbOf(tokens: readonly Token[]): string | undefined {
  const at = (index: number): string | undefined =>
    tokens[index]?.kind === 'word' ? tokens[index].text : undefined;
  let index = 0;
  if (at(index) === 'EXPLAIN') {
    index += 1;
    if (at(index) === 'QUERY' && at(index + 1) === 'PLAN') index += 2;
  }
  if (at(index) !== 'WITH') return at(index);
  // Each table of WITH ends with a parenthesis; a word after one at the top is AS, or what the statement does.
  let depth = 0;
  for (; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.kind === 'mark' && token.text === '(') depth += 1;
    if (token?.kind === 'mark' && token.text === ')') depth -= 1;
    const next = at(index + 1);
    if (depth === 0 && token?.text === ')' && next !== undefined && next !== 'AS') return next;
  }
  return 'WITH without SELECT';
}

function tokensOf(sql: string): readonly Token[] {
  return [...sql.matchAll(parts)].flatMap(({ 0: part, index: start, groups = {} }): readonly Token[] => {
    const { quoted, word, mark } = groups;
    if (quoted !== undefined)
      return [{ kind: part.startsWith("'") ? 'text' : 'name', text: part.slice(1, -1), start }];
    if (word !== undefined) return [{ kind: 'word', text: word.toUpperCase(), start }];
    return mark === undefined ? [] : [{ kind: 'mark', text: mark, start }];
  });
}
