// `llms.txt`: what the package is, its guides and the names most often used, for programs that read one file first.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const maxBytes = 6_000;

/**
 * @param {string} root the project
 * @returns {{ text: string, problems: readonly string[] }}
 */
export function llmsText(root) {
  const read = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8');
  const [title = '', about = '', ...points] = read('README.md')
    .split('\n\n')
    .filter((part) => !/ · /.test(part))
    .slice(0, 3);
  const guides =
    read('guides/README.md')
      .replaceAll(/,\n\s+\[/g, ', [')
      .match(/^- .*$/gm) ?? [];
  const program = read('examples/ten-names.ts').trimEnd();
  const text = `${[
    title,
    about,
    points.join('\n\n'),
    "ESM only: `import { runAgent } from 'weakincentives'`; entries are in `guides/reference/entries.md`. Read `AGENTS.md` before you write code.",
    '## Guides',
    guides.map((line) => line.replaceAll(/\]\(([\w./-]+)\)/g, '](guides/$1)')).join('\n'),
    '## The ten names most often used',
    `\`\`\`ts\n${program}\n\`\`\``,
  ].join('\n\n')}\n`;
  const bytes = Buffer.byteLength(text);
  return { text, problems: bytes > maxBytes ? [`llms.txt has ${bytes} bytes, more than ${maxBytes}.`] : [] };
}
