// The reference of the command: its help pages, as the golden files of their tests have them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const suffix = '-80.txt';

/** @param {string} root the project @returns {string} Markdown */
export function commandReference(root) {
  const folder = join(root, 'test/fixtures/golden/help');
  const pages = readdirSync(folder)
    .filter((file) => file.endsWith(suffix))
    .sort()
    .map((file) => ({
      title: `wink ${file.slice('wink'.length, -suffix.length).replace('-', '')}`.trimEnd(),
      text: readFileSync(join(folder, file), 'utf8').trimEnd(),
    }));
  return `${[
    '# The command',
    '<!-- Written by npm run reference -- --write, from the help pages of the command -->',
    'What `wink help COMMAND` prints, for every command. An option wins over its environment variable.',
    ...pages.map(({ title, text }) => `## ${title}\n\n\`\`\`text\n${text}\n\`\`\``),
  ].join('\n\n')}\n`;
}
