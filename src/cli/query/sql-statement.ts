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

/** White space of SQLite. */
const space = /[ \t\n\f\r]/;
/** SQLite takes every character outside of ASCII as part of a name. */
const wordStart = /[A-Za-z_\u0080-\uffff]/;
const wordPart = /[A-Za-z_0-9$\u0080-\uffff]/;
const closing: Readonly<Record<string, string>> = { "'": "'", '"': '"', '`': '`', '[': ']' };

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
  const tokens: Token[] = [];
  let index = 0;
  while (index < sql.length) {
    const start = index;
    const character = sql.charAt(index);
    const close = closing[character];
    if (space.test(character)) index += 1;
    else if (sql.startsWith('--', index)) index = after(sql, '\n', index + 2);
    else if (sql.startsWith('/*', index)) index = after(sql, '*/', index + 2);
    else if (close !== undefined) {
      // A quote twice inside of a text reads as the end of one and the begin of another: both end at the same place.
      index = after(sql, close, index + 1);
      const text = sql.slice(start + 1, index - 1);
      tokens.push({ kind: character === "'" ? 'text' : 'name', text, start });
    } else if (wordStart.test(character)) {
      while (index < sql.length && wordPart.test(sql.charAt(index))) index += 1;
      tokens.push({ kind: 'word', text: sql.slice(start, index).toUpperCase(), start });
    } else {
      index += 1;
      tokens.push({ kind: 'mark', text: character, start });
    }
  }
  return tokens;
}

/** Where a comment or a quoted part ends; one without an end goes to the end of the text. */
function after(sql: string, mark: string, from: number): number {
  const found = sql.indexOf(mark, from);
  return found === -1 ? sql.length : found + mark.length;
}
