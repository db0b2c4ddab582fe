// The table of the entries of the package, from the first comment of each.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const modulePattern = /^\/\*\*\n \* (.+)\n \*\n \* Runs in (.+)\.\n \*\n \* @module (\S+)\n \*\/\n/;

/**
 * @param {string} root the project
 * @returns {{ text: string, problems: readonly string[] }} Markdown; `problems` names entries without such a comment
 */
export function entryReference(root) {
  /** @type {string[]} */
  const problems = [];
  const rows = readdirSync(join(root, 'src/entries'))
    .filter((file) => file.endsWith('.ts') && file !== 'wink.ts')
    .sort((a, b) => (a === 'index.ts' ? -1 : b === 'index.ts' ? 1 : a < b ? -1 : 1))
    .map((file) => {
      const source = readFileSync(join(root, 'src/entries', file), 'utf8');
      const [, holds = '', runtime = '', name = ''] = modulePattern.exec(source) ?? [];
      const expected =
        file === 'index.ts' ? 'weakincentives' : `weakincentives/${file.slice(0, -'.ts'.length)}`;
      if (name !== expected)
        problems.push(`src/entries/${file}: begin with what it holds, "Runs in …." and @module ${expected}.`);
      return `| \`${name}\` | ${holds.replace(/\.$/, '')} | ${runtime} |`;
    });
  const text = `${[
    '# Entries of the package',
    '<!-- Written by npm run reference -- --write, from the comments in src/entries -->',
    'What `import` takes from where. A package that an entry needs is an optional peer: install it beside `weakincentives`.',
    ['| import | holds | runs in |', '| --- | --- | --- |', ...rows].join('\n'),
    'The command `wink` needs Node: [its options](command.md).',
  ].join('\n\n')}\n`;
  return { text, problems };
}
