import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('../../docs/decisions/', import.meta.url);

it('the list of decisions has every record once, in order, by its title', () => {
  const list = readFileSync(new URL('README.md', folder), 'utf8');
  const listed = [...list.matchAll(/^- \[(\d{4})\]\((.+)\) (.+)$/gm)].map(([, number, file, title]) => [
    file,
    `# ${number} ${title}`,
  ]);
  const records = readdirSync(folder)
    .filter((file) => file !== 'README.md')
    .sort()
    .map((file) => [file, readFileSync(new URL(file, folder), 'utf8').split('\n', 1)[0]]);
  expect(listed).toEqual(records);
});
