// The home page of the site: the first screen of README.md, six ways to begin, the picture.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const tiles = [
  ['first-agent', 'Your first agent', 'A tool, a rule, a test, a real model'],
  ['ask-me-before', 'Ask me before', 'A person decides, at once or days later'],
  ['survive-a-crash', 'Survive a crash', 'A run resumes where its process was killed'],
  ['test-it', 'Test it', 'Without a model and without a network'],
  ['deploy-it', 'Deploy it', 'Containers, cron, systemd, keys, sizes'],
  ['from-ai-sdk', 'Coming from another library', 'AI SDK, OpenAI Agents, LangGraph, Python'],
];

/** @param {string} root the project @returns {string} Markdown */
export function homePage(root) {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, screen = '', rest = ''] = /^# .*\n([\s\S]*?)\n## Try it\n([\s\S]*)$/.exec(readme) ?? [];
  const picture = /^<picture>[\s\S]*?^<\/picture>$/m.exec(rest)?.[0] ?? '';
  return `${[
    '<!-- Written by npm run reference -- --write, from README.md -->',
    ...screen.trim().split('\n\n').map(fenced),
    '## Where to begin',
    [
      '<div class="tiles">',
      ...tiles.map(
        ([guide, title, text]) => `<a href="../../guides/${guide}.md"><strong>${title}</strong>${text}</a>`,
      ),
      '</div>',
    ].join('\n'),
    '## A run, in the terminal and in the viewer',
    picture.replaceAll('"docs/images/', '"../images/'),
  ].join('\n\n')}\n`;
}

/** Code with a language, so that it has colors. @param {string} paragraph @returns {string} */
function fenced(paragraph) {
  if (!paragraph.startsWith('    ')) return paragraph;
  const code = paragraph.replaceAll(/^ {4}/gm, '');
  return `\`\`\`${code.startsWith('n') ? 'sh' : 'ts'}\n${code}\n\`\`\``;
}
